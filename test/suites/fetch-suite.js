'use strict'

// Brings a suite into a folder of its own: from the npm registry, from Debian's source packages, or from beside this file.

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')

/** @import { Suite } from './packages' */

const APT = '/etc/apt'

/**
 * @param {Suite} suite
 * @param {string} scratch
 * @returns {{ folder: string, version: string }} what is in `folder` can be run
 */
function fetchSuite (suite, scratch) {
  if (suite.source === 'here') return { folder: /** @type {string} */ (suite.folder), version: 'own' }
  const folder = path.join(scratch, suite.name.replaceAll('/', '-'))
  fs.mkdirSync(folder)
  const tarball = suite.source === 'npm' ? packed(suite, scratch) : debianSource(suite, scratch)
  run('tar', ['-xf', tarball, '-C', folder, '--strip-components=1', ...(suite.runner === 'programs' ? ['--wildcards', '*/test/*'] : [])], scratch)
  if (suite.runner !== 'programs') installDependencies(suite, folder)
  return { folder, version: suite.version ?? versionOf(tarball) }
}

/**
 * @param {Suite} suite
 * @param {string} scratch
 */
function packed ({ name, version }, scratch) {
  return path.join(scratch, JSON.parse(npm(scratch, 'pack', `${name}@${version}`, '--json', '--silent'))[0].filename)
}

/**
 * @param {Suite} suite
 * @param {string} folder
 */
function installDependencies ({ devDependencies }, folder) {
  const manifest = path.join(folder, 'package.json')
  const { scripts, ...rest } = JSON.parse(fs.readFileSync(manifest, 'utf8'))
  fs.writeFileSync(manifest, JSON.stringify({ ...rest, devDependencies }, null, 2))
  npm(folder, 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--silent')
}

/**
 * @param {Suite} suite
 * @param {string} scratch
 */
function debianSource ({ name }, scratch) {
  const options = sourceLists(scratch)
  const folder = path.join(scratch, `${name}-source`)
  fs.mkdirSync(folder)
  run('apt-get', [...options, 'source', '--download-only', '--tar-only', name === 'nodejs' ? name : `node-${name}`], folder)
  const tarball = fs.readdirSync(folder).find(file => /\.orig\.tar\.\w+$/.test(file))
  if (tarball === undefined) throw new Error(`Debian's source package of ${name} has no .orig.tar`)
  return path.join(folder, tarball)
}

/**
 * Lists of source packages of this Debian release, kept apart from the system's own, which seldom has any.
 * @param {string} scratch
 * @returns {string[]} options of apt-get
 */
function sourceLists (scratch) {
  const folder = path.join(scratch, 'apt')
  const options = ['sourcelist=/dev/null', `sourceparts=${folder}/sources`].map(pair => `Dir::Etc::${pair}`)
    .concat(`Dir::State::lists=${folder}/lists`, `Dir::Cache=${folder}/cache`, 'APT::Sandbox::User=root') // its own user may not look in here
    .flatMap(option => ['-o', option])
  if (fs.existsSync(folder)) return options
  for (const below of ['sources', 'lists/partial', 'cache/archives/partial']) fs.mkdirSync(path.join(folder, below), { recursive: true })
  const [release] = /(?<=^VERSION_CODENAME=)\w+/m.exec(fs.readFileSync('/etc/os-release', 'utf8')) ?? []
  const parts = fs.readdirSync(path.join(APT, 'sources.list.d')).map(file => path.join('sources.list.d', file))
  for (const file of ['sources.list', ...parts]) {
    if (!fs.existsSync(path.join(APT, file))) continue
    const source = asSource(fs.readFileSync(path.join(APT, file), 'utf8'), file, String(release))
    if (source !== '') fs.writeFileSync(path.join(folder, 'sources', path.basename(file)), source)
  }
  run('apt-get', [...options, 'update', '-qq'], scratch)
  return options
}

/**
 * @param {string} text     of a file of apt's, in either of its notations
 * @param {string} file
 * @param {string} release  other repositories have no source packages
 */
function asSource (text, file, release) {
  const isOfRelease = new RegExp(`\\s${release}\\b`)
  if (file.endsWith('.sources')) {
    return text.split(/\n{2,}/).filter(part => isOfRelease.test(part)).map(part => part.replace(/^Types: *deb$/m, 'Types: deb-src')).join('\n\n')
  }
  if (!file.endsWith('.list')) return ''
  return text.split('\n').filter(line => /^deb\s/.test(line) && isOfRelease.test(line)).map(line => line.replace(/^deb/, 'deb-src') + '\n').join('')
}

/** @param {string} tarball  of Debian: name_version.orig.tar.xz */
function versionOf (tarball) {
  return /_(\d[\d.]*)/.exec(path.basename(tarball))?.[1] ?? ''
}

/**
 * @param {string} cwd
 * @param {...string} args
 */
function npm (cwd, ...args) {
  return run('npm', args, cwd)
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 */
function run (command, args, cwd) {
  const { status, stdout, error } = spawnSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], shell: process.platform === 'win32' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed${error ? `: ${error.message}` : ''}`)
  return stdout
}

module.exports = { fetchSuite }
