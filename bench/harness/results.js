'use strict'

// What is kept of the runs: a folder for each major version of Node.js, in which each benchmark has its last result. Details are printed
// and not kept.

const fs = require('node:fs')
const path = require('node:path')

/** @import { Run, VersionRun } from './report' */

const RESULTS = path.join(__dirname, '..', 'results')

/** @returns {VersionRun[]} */
function readRuns () {
  return fs.readdirSync(RESULTS).map(folder => ({ version: parseInt(folder.slice('node-'.length)), results: readFolder(path.join(RESULTS, folder)) }))
}

/**
 * @param {string} folder
 * @returns {Run}
 */
function readFolder (folder) {
  return Object.fromEntries(fs.readdirSync(folder).map(file => [path.basename(file, '.json'), JSON.parse(fs.readFileSync(path.join(folder, file), 'utf8'))]))
}

/**
 * Replaces what was kept of these benchmarks with this version.
 * @param {Run} results
 * @param {number} [version]  of Node.js
 */
function keep (results, version = parseInt(process.versions.node)) {
  const folder = path.join(RESULTS, `node-${version}`)
  fs.mkdirSync(folder, { recursive: true })
  for (const [name, { details, ...kept }] of Object.entries(results)) fs.writeFileSync(path.join(folder, `${name}.json`), asJson(kept) + '\n')
}

/** With a row of a table on one line. @param {object} value */
function asJson (value) {
  return JSON.stringify(value, null, 2).replace(/\[\n\s+[^[\]{}]*\]/g, row => row.replace(/\n\s*/g, ' ').replace(/^\[ | \]$/g, end => end.trim()))
}

module.exports = { readRuns, keep }
