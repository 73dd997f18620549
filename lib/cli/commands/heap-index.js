'use strict'

const { writeOutput } = require('../output/output-file')
const { showBytes } = require('../../shared/base/sizes')
const { explainFileErrors } = require('../files/explain-file-errors')

/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'index',
  usage: '<file.heapsnapshot>',
  help: 'what a comparison needs of a heap snapshot: a small file without its strings',
  options: {
    output: { type: 'string', short: 'o', meaning: 'file to write, - for standard output (default: its own name with .heapindex)' },
    force: { type: 'boolean', meaning: 'write over a file that is there' }
  },
  positionals: { min: 1, max: 1 },
  examples: ['loopscope index before.heapsnapshot', 'loopscope diff before.heapindex after.heapsnapshot'],
  run
}

/** @param {Invocation} invocation */
async function run ({ positionals: [file], values, terminal, signal }) {
  const { loadSide } = require('../../analysis/comparison/compare-files')
  const { encodeBaseline } = require('../../analysis/comparison/baseline-file')
  const progress = terminal.progress(`reading ${file}`)
  const onProgress = (/** @type {{ stage: string, bytes?: number }} */ { stage, bytes }) => {
    progress.note(`${stage} ${bytes === undefined ? '' : showBytes(bytes)}`)
  }
  const { baseline, facts } = await explainFileErrors(loadSide(file, { onProgress, signal })).finally(progress.end)
  const output = values.output ?? `${file.replace(/\.heapsnapshot$/, '')}.heapindex`
  writeOutput(output, encodeBaseline(baseline, facts), { force: values.force === true, terminal })
}
