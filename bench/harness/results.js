'use strict'

// What is kept of the runs: one file a major version of Node.js, in which each benchmark has its last result.

const fs = require('node:fs')
const path = require('node:path')

/** @import { Run, VersionRun } from './report' */

const RESULTS = path.join(__dirname, '..', 'results')

/** @returns {VersionRun[]} */
function readRuns () {
  return fs.readdirSync(RESULTS).map(name => ({ version: parseInt(name.slice('node-'.length)), results: JSON.parse(fs.readFileSync(path.join(RESULTS, name), 'utf8')) }))
}

/**
 * Beside what is kept of other benchmarks with this version.
 * @param {Run} results
 */
function keep (results) {
  const version = parseInt(process.versions.node)
  const before = readRuns().find(run => run.version === version)?.results
  fs.writeFileSync(path.join(RESULTS, `node-${version}.json`), JSON.stringify({ ...before, ...results }, null, 2) + '\n')
}

module.exports = { readRuns, keep }
