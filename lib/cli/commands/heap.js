'use strict'

const fs = require('node:fs')
const { pipeline } = require('node:stream/promises')
const { setTimeout: sleep } = require('node:timers/promises')
const { Failure } = require('../failure')
const { fileExists, plainName } = require('../output/output-file')
const { REACH_OPTIONS, reach } = require('../reach/reach')
const { showDuration } = require('../output/display')
const { showBytes } = require('../../shared/base/sizes')

/** @import { Command, Invocation } from '../commands' */

const KINDS = Object.freeze({ snapshot: 'heap-snapshot', profile: 'heap-profile', histogram: 'heap-histogram' })
const POLL_MS = 250
const OWNER_ONLY = 0o600

/** @type {Command} */
module.exports = {
  name: 'heap',
  usage: '<pid|url>',
  help: 'a heap snapshot, redacted, for which the process stands still; or a heap profile or histogram, which cost little',
  options: {
    kind: { type: 'string', short: 'k', meaning: 'snapshot (default), profile (sampled allocations by stack), or histogram (objects by constructor)' },
    seconds: { type: 'string', meaning: 'of a profile: what is new in so many seconds (default: all since sampling began)' },
    mode: { type: 'string', meaning: 'of a profile: live (default), or all that was allocated' },
    format: { type: 'string', short: 'f', meaning: 'of a profile: heapprofile, pprof, flamegraph, text; of a histogram: json, text' },
    redact: { type: 'string', meaning: 'values (default), strict, or off' },
    pseudonyms: { type: 'boolean', meaning: 'equal values are recognisable as equal' },
    force: { type: 'boolean', meaning: 'also when it may not fit or the budget is used up; and write over a file that is there' },
    output: { type: 'string', short: 'o', meaning: 'file to write (default: its name in the store)' },
    ...REACH_OPTIONS
  },
  positionals: { min: 0, max: 1 },
  examples: [
    'loopscope heap 1234 -o before.heapsnapshot',
    'loopscope heap 1234 --kind profile --seconds 30 --format flamegraph',
    'loopscope heap 1234 --kind histogram'
  ],
  run
}

/** @typedef {ReturnType<typeof reach>} Client */

/** @param {Invocation} invocation */
async function run (invocation) {
  const { values, terminal, signal } = invocation
  const client = reach(invocation)
  if (values.output !== undefined && !values.force && fs.existsSync(values.output)) throw fileExists(values.output)
  const body = bodyOf(values)
  const { id } = await client.json('/captures', { method: 'POST', body })
  const { artifact, startedAt, endedAt } = await follow(client, id, { body, terminal, signal })
  const file = values.output ?? plainName(artifact.name)
  await download(client, artifact.name, file, values.force === true)
  if (body.kind === KINDS.snapshot) await keepFacts(client, artifact.name, file)
  terminal.note(`written: ${file} (${showBytes(artifact.bytes)}, ${showDuration(endedAt - startedAt)})`)
}

/** @param {Record<string, any>} values */
function bodyOf ({ kind = 'snapshot', redact, pseudonyms, force, seconds, mode, format }) {
  if (!Object.hasOwn(KINDS, kind)) throw new Failure('usage', `${kind} is not a kind.`, `Known: ${Object.keys(KINDS).join(', ')}.`)
  const isSnapshot = kind === 'snapshot'
  return {
    kind: KINDS[/** @type {keyof typeof KINDS} */ (kind)],
    ...(redact && { redact }),
    ...(pseudonyms && { pseudonyms }),
    ...(force && isSnapshot && { force }),
    ...(seconds !== undefined && { seconds: Number(seconds) }),
    ...(mode && { mode }),
    ...(format && { format })
  }
}

/**
 * What a comparison needs to know of a snapshot: the process, and whether objects are numbered alike.
 * @param {Client} client
 * @param {string} name
 * @param {string} file
 */
async function keepFacts (client, name, file) {
  const facts = await client.json(`/artifacts/${name}/metadata`)
  fs.writeFileSync(`${file}.json`, `${JSON.stringify(facts, null, 2)}\n`, { mode: OWNER_ONLY })
}

/**
 * @param {Client} client
 * @param {string} id
 * @param {Pick<Invocation, 'terminal' | 'signal'> & { body: { kind: string, seconds?: number } }} how
 */
async function follow (client, id, { body: { kind, seconds }, terminal, signal }) {
  const progress = terminal.progress(kind.replace('-', ' '), seconds)
  // No connection is open while it is taken, which would end it when the user leaves.
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
    const answer = await client.ask(`/artifacts/${name}`)
    await pipeline(answer, fs.createWriteStream(file, { flags: force ? 'w' : 'wx', mode: OWNER_ONLY }))
  } catch (/** @type {any} */ error) {
    throw error.code === 'EEXIST' ? fileExists(file) : error
  }
}
