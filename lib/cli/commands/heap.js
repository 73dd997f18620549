'use strict'

const fs = require('node:fs')
const { pipeline } = require('node:stream/promises')
const { setTimeout: sleep } = require('node:timers/promises')
const { Failure } = require('../failure')
const { REACH_OPTIONS, reach } = require('../reach')
const { showBytes, showDuration } = require('../words')

/** @import { Command, Invocation } from '../commands' */

const POLL_MS = 250
const OWNER_ONLY = 0o600

/** @type {Command} */
module.exports = {
  name: 'heap',
  usage: '<pid|url>',
  help: 'a heap snapshot, redacted; the process stands still while it is taken',
  options: {
    redact: { type: 'string', meaning: 'values (default), strict, or off' },
    pseudonyms: { type: 'boolean', meaning: 'equal values are recognisable as equal' },
    force: { type: 'boolean', meaning: 'also when it may not fit; and write over a file that is there' },
    output: { type: 'string', short: 'o', meaning: 'file to write (default: its name in the store)' },
    ...REACH_OPTIONS
  },
  positionals: { min: 0, max: 1 },
  examples: ['loopscope heap 1234 -o before.heapsnapshot', 'loopscope heap 1234 -o after.heapsnapshot', 'loopscope diff before.heapsnapshot after.heapsnapshot'],
  run
}

/** @typedef {ReturnType<typeof reach>} Client */

/** @param {Invocation} invocation */
async function run (invocation) {
  const { values, terminal, signal } = invocation
  const client = reach(invocation)
  if (values.output !== undefined && !values.force && fs.existsSync(values.output)) throw new Failure('failed', `${values.output} is there already.`, 'Choose another name with --output, or pass --force.')
  const { id } = await client.json('/captures', { method: 'POST', body: bodyOf(values) })
  const { artifact, startedAt, endedAt } = await follow(client, id, { terminal, signal })
  const file = values.output ?? artifact.name
  await download(client, artifact.name, file, values.force === true)
  // What a comparison needs to know of it: the process, and whether objects are numbered alike.
  const facts = await client.json(`/artifacts/${artifact.name}/metadata`)
  fs.writeFileSync(`${file}.json`, `${JSON.stringify(facts, null, 2)}\n`, { mode: OWNER_ONLY })
  terminal.note(`written: ${file} (${showBytes(artifact.bytes)}, ${showDuration(endedAt - startedAt)})`)
}

/** @param {Record<string, any>} values */
function bodyOf ({ redact, pseudonyms, force }) {
  return { kind: 'heap-snapshot', ...(redact && { redact }), ...(pseudonyms && { pseudonyms }), ...(force && { force }) }
}

/**
 * @param {Client} client
 * @param {string} id
 * @param {Pick<Invocation, 'terminal' | 'signal'>} how
 */
async function follow (client, id, { terminal, signal }) {
  const progress = terminal.progress('heap snapshot')
  // The connection is not held while it is taken, so leaving has to be said.
  const leave = () => { client.abandon(`/captures/${id}`) }
  signal.addEventListener('abort', leave, { once: true })
  try {
    for (;;) {
      const job = await client.json(`/captures/${id}`)
      if (job.problem !== null) throw new Failure('failed', job.problem.detail, job.problem.remedy)
      if (job.endedAt !== null) return job
      if (job.progress) progress.note(`${job.progress.stage} ${job.progress.bytes ? showBytes(job.progress.bytes) : ''}`)
      await sleep(POLL_MS, undefined, { signal })
    }
  } finally {
    signal.removeEventListener('abort', leave)
    progress.end()
  }
}

/**
 * @param {Client} client
 * @param {string} name
 * @param {string} file
 * @param {boolean} force
 */
async function download (client, name, file, force) {
  try {
    await pipeline(await client.ask(`/artifacts/${name}`), fs.createWriteStream(file, { flags: force ? 'w' : 'wx', mode: OWNER_ONLY }))
  } catch (/** @type {any} */ error) {
    if (error.code === 'EEXIST') throw new Failure('failed', `${file} is there already.`, 'Choose another name with --output, or pass --force.')
    throw error
  }
}
