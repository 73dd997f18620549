'use strict'

// All rounds of a benchmark. Each has a process of its own: two processes of the same code differ by 10 to 20 % for their whole
// life, so what one of them shows says little of the code.

const os = require('node:os')
const { Failure } = require('../failure')
const { createClient } = require('../reach/client')
const { findTarget } = require('../reach/target')
const { Application, assertFindable, findServer } = require('./application')
const { load } = require('./autocannon')
const { observe, readCounters } = require('./readings')
const { utilizationOf } = require('./profile-figures')

/** @import { Invocation } from '../commands' */
/** @import { CpuProfile } from '../../../types/profile' */
/** @import { Autocannon, Loaded } from './autocannon' */
/** @import { Processors } from './processors' */
/** @import { Bench, Round } from './result-file' */
/** @import { Settings } from '../commands/bench' */

/**
 * @typedef {object} Plan
 * @property {readonly string[]} command
 * @property {Settings} settings
 * @property {Autocannon} autocannon
 * @property {Processors} processors
 * @property {Pick<Invocation, 'env' | 'terminal' | 'signal'>} surroundings
 *
 * @typedef {{ round: Round, profile: CpuProfile | null, facts: any, url: string }} Measured
 */

/**
 * @param {Plan} plan
 * @returns {Promise<Omit<Bench, 'kind' | 'version' | 'loopscope'>>}
 */
async function measure (plan) {
  const { command, settings, autocannon, processors } = plan
  const at = Date.now()
  /** @type {Measured[]} */
  const measured = []
  while (measured.length < settings.rounds) measured.push(await measureRound(plan, measured.length + 1))
  const shown = middleOf(measured.map(({ round }) => round))
  const [{ url, facts }] = measured
  const { profile } = measured[shown]
  return {
    at,
    command: [...command],
    request: { url, method: settings.method, headers: settings.headers.map(header => header.split(':')[0]) },
    load: { tool: `autocannon ${autocannon.version}`, connections: settings.connections, seconds: settings.seconds, warmUpSeconds: settings.warmUpSeconds },
    application: { name: facts.appName, root: facts.appRoot, nodeVersion: facts.nodeVersion },
    machine: { platform: `${os.type()} ${os.release()}`, cpus: os.availableParallelism(), model: os.cpus()[0]?.model ?? '', memoryBytes: os.totalmem() },
    processors,
    rounds: measured.map(({ round }) => round),
    profile: profile === null ? null : { round: shown, ...profileFacts(measured[shown].round), profile }
  }
}

/** @param {Round} round */
function profileFacts ({ from, answered }) {
  return { startedAt: from, answered }
}

/**
 * @param {readonly Round[]} rounds
 * @returns {number} the round whose rate is in the middle: its profile is that of the benchmark
 */
function middleOf (rounds) {
  const order = [...rounds.keys()].sort((a, b) => rounds[a].perSecond - rounds[b].perSecond)
  return order[Math.floor((order.length - 1) / 2)]
}

/**
 * @param {Plan} plan
 * @param {number} number
 * @returns {Promise<Measured>}
 */
async function measureRound ({ command, settings, autocannon, processors, surroundings }, number) {
  const { env, terminal, signal } = surroundings
  await assertFindable(settings)
  signal.throwIfAborted()
  const onLine = settings.isQuiet ? () => {} : terminal.note
  const application = new Application(command, { env, processors: processors.pinning?.application, onLine })
  /** @type {(seconds: number, doing: string, url: string) => Promise<Loaded>} */
  const loadFor = async (seconds, doing, url) => {
    const progress = terminal.progress(`round ${number} of ${settings.rounds}: ${doing}`, seconds)
    const how = { seconds, settings, autocannon, processors: processors.pinning?.load, env, signal: AbortSignal.any([signal, application.gone]) }
    return application.during(load(url, how)).finally(progress.end)
  }
  try {
    const { pid, url } = await findServer(application, { settings, env, signal })
    const client = createClient(findTarget(String(pid), {}, env), signal)
    const { facts } = await client.json('/')
    if (settings.warmUpSeconds > 0) assertAnswered(await loadFor(settings.warmUpSeconds, 'warming up', url), url)
    const before = await application.during(readCounters(client, pid))
    const from = Date.now()
    const loaded = await loadFor(settings.seconds, 'under load', url)
    const to = Date.now()
    assertAnswered(loaded, url)
    const { profile, cpuMs, ...observed } = await application.during(observe(client, { pid, from, to, before }))
    const utilization = profile === null ? null : utilizationOf(profile)
    const cpuMsPerRequest = cpuMs === null ? null : cpuMs / loaded.answered
    return { round: { from, to, pid, ...loaded, ...observed, utilization, cpuMsPerRequest }, profile, facts, url }
  } finally {
    await application.stop()
  }
}

/**
 * @param {Loaded} loaded
 * @param {string} url
 * @throws {Failure} where there is nothing to measure
 */
function assertAnswered ({ answered, errors, timeouts }, url) {
  if (answered > 0) return
  const why = timeouts > 0 ? `${timeouts} requests got no answer in 10 s` : `${errors} connections failed`
  throw new Failure('failed', `Nothing was answered at ${url}: ${why}.`, 'Is the address right?')
}

module.exports = { measure, middleOf }
