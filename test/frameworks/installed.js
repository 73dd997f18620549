'use strict'

// The frameworks, runners, process managers and bundlers that the tests of this folder run for real. They are not among the
// project's own packages, which everybody who runs `npm test` installs: `npm install --no-save --prefix test/frameworks` brings them.

const fs = require('node:fs')
const path = require('node:path')

const PACKAGES = path.join(__dirname, 'node_modules')
const LOOPSCOPE = path.resolve(__dirname, '../..')

/**
 * @param {...string} names  of packages
 * @returns {string | false} for the option `skip` of a test
 */
function skipWithout (...names) {
  const missing = names.filter(name => folderOf(name) === undefined)
  return missing.length > 0 && `${missing.join(', ')} not installed: npm install --no-save --prefix test/frameworks`
}

/**
 * @param {string} name  of a package
 * @param {string} [bin]  the name of the command, where it is not the package's
 * @returns {string} path of its command, to be run with process.execPath
 */
function commandOf (name, bin = name) {
  const folder = path.join(PACKAGES, name)
  const declared = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')).bin
  return path.join(folder, typeof declared === 'string' ? declared : declared[bin])
}

/**
 * Makes a folder an application that has loopscope, and packages of this folder, among its modules.
 * @param {string} folder
 * @param {...string} names
 */
function installInto (folder, ...names) {
  link(LOOPSCOPE, path.join(folder, 'node_modules/loopscope'))
  for (const name of names) link(folderOf(name) ?? '', path.join(folder, 'node_modules', name))
}

/**
 * Some are packages of the project itself.
 * @param {string} name
 * @returns {string | undefined}
 */
function folderOf (name) {
  return [PACKAGES, path.join(LOOPSCOPE, 'node_modules')].map(folder => path.join(folder, name)).find(folder => fs.existsSync(folder))
}

/**
 * @param {string} target
 * @param {string} place
 */
function link (target, place) {
  fs.mkdirSync(path.dirname(place), { recursive: true })
  fs.symlinkSync(target, place, 'junction')
}

module.exports = { PACKAGES, skipWithout, commandOf, installInto, link }
