'use strict'

// Waits until a capture that was requested is made, and cancels it with the command.

const { setTimeout: sleep } = require('node:timers/promises')
const { showBytes } = require('../../base/sizes')
const { Failure } = require('../failure')
const { toCommandLine } = require('./client')

/** @import { Invocation } from '../commands' */

const POLL_MS = 250

/**
 * @param {ReturnType<typeof import('./connect').connect>} client
 * @param {string} id
 * @param {Pick<Invocation, 'terminal' | 'signal'> & { kind: string, seconds?: number }} how
 */
async function followCapture (client, id, { kind, seconds, terminal, signal }) {
  const progress = terminal.progress(kind.replace('-', ' '), seconds)
  // No connection is open while the capture runs, so it has to be canceled when the user interrupts the command.
  const cancel = () => { client.abandon(`/captures/${id}`) }
  signal.addEventListener('abort', cancel, { once: true })
  try {
    for (;;) {
      const job = await client.json(`/captures/${id}`)
      if (job.problem !== null) throw new Failure('failed', job.problem.detail, toCommandLine(job.problem.remedy))
      if (job.endedAt !== null) return job
      if (job.progress) progress.note(`${job.progress.stage} ${job.progress.bytes ? showBytes(job.progress.bytes) : ''}`)
      await sleep(POLL_MS, undefined, { signal })
    }
  } finally {
    signal.removeEventListener('abort', cancel)
    progress.end()
  }
}

module.exports = { followCapture }
