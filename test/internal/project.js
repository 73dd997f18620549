'use strict'

// Reads the project's own files, for the tests that hold code, documents and types equal.

const fs = require('node:fs')
const path = require('node:path')

const ROOT = path.resolve(__dirname, '../..')

/** @param {string} file  relative to the project */
function readProject (file) {
  return fs.readFileSync(path.join(ROOT, file), 'utf8')
}

/**
 * @param {string} folder  relative to the project
 * @returns {string[]} its files and those below it, relative to the project, with '/'
 */
function listFiles (folder) {
  return fs.readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap(entry => {
    const name = `${folder}/${entry.name}`
    return entry.isDirectory() ? listFiles(name) : [name]
  })
}

/**
 * What npm publishes, by the `files` of package.json: folders and files, and with a '!' what is left out of them. What npm itself makes
 * of it is looked at in package-contents.slow.test.js.
 */
function publishedFiles () {
  const { files } = JSON.parse(readProject('package.json'))
  const leftOut = files.filter(name => name.startsWith('!')).map(name => name.slice(1))
  const named = files.filter(name => !name.startsWith('!')).flatMap(name => fs.statSync(path.join(ROOT, name)).isDirectory() ? listFiles(name) : [name])
  return [...named.filter(name => !leftOut.includes(name)), 'LICENSE', 'README.md', 'package.json']
}

/**
 * The rows of a table in a document, cells without their blanks.
 * @param {string} file
 * @param {string} heading  of the section that holds the table
 */
function readTable (file, heading) {
  const section = readProject(file).split(/\n#+ /).find(text => text.split('\n', 1)[0] === heading)
  if (section === undefined) throw new Error(`${file} has no section "${heading}"`)
  return section.split('\n').filter(line => line.startsWith('| `')).map(line => line.split('|').slice(1, -1).map(cell => cell.trim()))
}

module.exports = { ROOT, readProject, listFiles, publishedFiles, readTable }
