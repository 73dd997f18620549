'use strict'

const path = require('node:path')
const { OUTPUT_OPTIONS, openDestination } = require('../../output/destination')
const { showBytes } = require('../../../base/sizes')
const { explainFileErrors } = require('../../profile-file')

/** @import { Command, Invocation } from '../../commands' */

/** @type {Command} */
module.exports = {
  name: 'index',
  usage: '<file.heapsnapshot>',
  help: 'reduce a heap snapshot to a small file without strings, which can stand in for it in `diff`',
  options: OUTPUT_OPTIONS,
  readsFiles: true,
  positionals: { min: 1, max: 1 },
  examples: ['loopscope index before.heapsnapshot -o before.heapindex', 'loopscope diff before.heapindex after.heapsnapshot'],
  makesFile: true,
  run
}

/** @param {Invocation} invocation */
async function run (invocation) {
  const { positionals: [file], terminal, signal } = invocation
  const destination = openDestination(invocation, { name: `${path.basename(file).replace(/\.heapsnapshot$/, '')}.heapindex` })
  const { loadBaseSnapshot } = require('../../../heap-diff/comparison/load-snapshots')
  const { encodeBaseline } = require('../../../heap-diff/comparison/baseline')
  const progress = terminal.progress(`reading ${file}`)
  const onProgress = (/** @type {{ stage: string, bytes?: number }} */ { stage, bytes }) => {
    progress.note(`${stage} ${bytes === undefined ? '' : showBytes(bytes)}`)
  }
  const { baseline, facts } = await explainFileErrors(loadBaseSnapshot(file, { onProgress, signal })).finally(progress.end)
  await destination.write(encodeBaseline(baseline, facts))
}
