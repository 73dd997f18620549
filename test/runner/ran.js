'use strict'

// The runner of this project's tests, run on test files that are written for one test.

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { makeScratch } = require('../store/scratch')

const RUN = path.join(__dirname, 'run.js')

/**
 * @param {import('node:test').TestContext} t
 * @param {Record<string, string>} files  text by name
 * @returns {{ folder: string, env: NodeJS.ProcessEnv }} where the runner is started
 */
function writeTests (t, files) {
  const folder = makeScratch(t)
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text)
  // Node's runner refuses to run below itself.
  const { NODE_TEST_CONTEXT, ...env } = process.env
  return { folder, env }
}

/**
 * @param {import('node:test').TestContext} t
 * @param {Record<string, string>} files
 * @param {...string} args  for the runner
 */
function runTests (t, files, ...args) {
  const { folder, env } = writeTests(t, files)
  const { status, stdout } = spawnSync(process.execPath, [RUN, ...args, ...Object.keys(files)], { cwd: folder, env, encoding: 'utf8' })
  const [totals] = /^v.* passed, .*$/m.exec(stdout) ?? [stdout]
  return { folder, status, stdout, totals: totals.replace(/^v\S+ /, '') }
}

module.exports = { RUN, runTests, writeTests }
