'use strict'

// Checks names of files, code, comments, texts and documents for retired words (retired.js). `npm run lint` runs it.

const fs = require('node:fs')
const path = require('node:path')
const { RETIRED } = require('./retired')

const ROOT = path.resolve(__dirname, '../..')
const CHECKED = ['lib', 'bin', 'docs', 'types', 'examples', 'bench', 'deploy', 'test', 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'eslint.config.js']
const LEFT_OUT = /(?:^|\/)(?:node_modules|results|dist)(?:\/|$)|^test\/words\/|package-lock\.json$/
const TEXT = /\.(?:js|mjs|cjs|ts|md|html|css)$/

/**
 * @param {string} file  relative to the project, with '/'
 * @param {string} text
 * @param {typeof RETIRED} [retired]
 * @returns {string[]} a line for each retired word: file, line, the word, what to use
 */
function findRetired (file, text, retired = RETIRED) {
  const lines = text.split('\n')
  return retired.filter(({ exempt = [] }) => !exempt.some(start => file.startsWith(start))).flatMap(({ word, use }) => [
    ...(word.test(file) ? [`${file}: the name has "${word.exec(file)?.[0]}", use: ${use}`] : []),
    ...lines.flatMap((line, index) => word.test(line) ? [`${file}:${index + 1}: "${word.exec(line)?.[0]}" is retired, use: ${use}`] : [])
  ])
}

/**
 * @param {string} name  relative to the project
 * @returns {string[]} the file itself, or the files of the folder
 */
function filesOf (name) {
  if (LEFT_OUT.test(name) || !fs.existsSync(path.join(ROOT, name))) return []
  if (!fs.lstatSync(path.join(ROOT, name)).isDirectory()) return TEXT.test(name) ? [name] : []
  return fs.readdirSync(path.join(ROOT, name)).flatMap(entry => filesOf(`${name}/${entry}`))
}

if (require.main === module) {
  const found = CHECKED.flatMap(filesOf).flatMap(file => findRetired(file, fs.readFileSync(path.join(ROOT, file), 'utf8')))
  for (const line of found) console.error(line)
  process.exitCode = found.length === 0 ? 0 : 1
}

module.exports = { findRetired }
