'use strict'

// The difference of two or three heap snapshots: what came, what went, what grew, and who keeps it.

const fs = require('node:fs')
const { fileURLToPath } = require('node:url')
const { openDestination } = require('../output/destination')
const { explainFileErrors } = require('../profile-file')
const { showBytes } = require('../../shared/base/sizes')

/** @import { Invocation } from '../commands' */

const ALL_CLASSES = Infinity

/** @param {Invocation} invocation */
async function run ({ positionals: files, values, terminal, signal }) {
  const page = values.html && openDestination({ values: { output: values.html, force: values.force }, terminal, signal }, { name: 'diff.html' })
  const { compareFiles } = require('../../analysis/comparison/compare-files')
  const progress = terminal.progress('comparing')
  const onProgress = (/** @type {{ file: string, stage: string, bytes?: number }} */ { file, stage, bytes }) => {
    progress.note(`${file}: ${stage}${bytes === undefined ? '' : ` ${showBytes(bytes)}`}`)
  }
  const compared = compareFiles(files, { isClassic: values.classic === true, isParallel: true, onProgress, signal, readSource })
  const report = await explainFileErrors(compared).finally(progress.end)
  if (page) await page.write(Buffer.from(require('../../analysis/report/html').renderReport(report)))
  if (values.json) return terminal.json(report)
  const { reportLines } = require('../../analysis/report/text')
  for (const line of reportLines(report, values.all ? { withNoise: true, maxClasses: ALL_CLASSES } : {})) terminal.line(line)
}

/**
 * Where the code of the process is on this machine, the line of a declaration can be found.
 * @param {string} file  path or URL, as in the snapshot
 */
function readSource (file) {
  try {
    return fs.readFileSync(file.startsWith('file:') ? fileURLToPath(file) : file, 'utf8')
  } catch {
    return null
  }
}

module.exports = { options: ['html', 'classic'], max: 3, run }
