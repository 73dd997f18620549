'use strict'

// Connects commands to processes: the options they share, the process or server that a command names, and one request to all processes of this
// user. `1234` is a process on this host, reached over its control socket, and so is `api`, the name of its application; anything else is the address
// of an admin surface.

const fs = require('node:fs')
const path = require('node:path')
const { Failure } = require('../failure')
const { createClient } = require('./client')
const { controlDirectories, findControlSocket, listControlSockets } = require('./control-sockets')
const { ANSWERS, readAnswer } = require('../../shared/group/answers')
const { problemOf } = require('../../shared/admin/control-directory')
const { addressOf, isKnownToRun, listFacts } = require('../../shared/group/member-facts')
const { isAlive, ownNamespace } = require('../../base/system/process-ids')
const { closestName } = require('../../base/closest-name')
const { OUTPUT_OPTIONS } = require('../output/destination')
const { WIDE_OPTION } = require('../output/table')

/** @import { Invocation } from '../commands' */
/** @import { AnswerKind } from '../../shared/group/answers' */

/** @type {Record<string, import('../commands').CommandOption>} */
const CONNECT_OPTIONS = Object.freeze({
  'token-file': { type: 'string', meaning: 'file with the token for a URL' },
  token: { type: 'string', meaning: 'the token itself; other users of this host can see it in the list of processes' },
  socket: { type: 'string', meaning: 'path of a control socket or of a Unix socket listener, instead of a pid' }
})

/** @type {import('../commands').CommandOption} */
const JSON_OPTION = Object.freeze({ type: 'boolean', meaning: 'print the data as JSON' })

/** Of a command that prints an answer as a table. @type {Record<string, import('../commands').CommandOption>} */
const ANSWER_OPTIONS = Object.freeze({ json: JSON_OPTION, wide: WIDE_OPTION, ...OUTPUT_OPTIONS, ...CONNECT_OPTIONS })

// What cannot be an application's name, or hardly: a scheme, a port, a path. `@shop/api` is a name.
const ADDRESS = /^[a-z]+:\/\/|:\d|^[^@].*\/|^\[|^localhost$/i

const HOW_TO = 'Add app.use(diagnostics()) to it, start it with `loopscope run -- node app.js`, or use `loopscope profile --attach <pid>`.'
const UNTRUSTED = 'Another user may be impersonating that process. Remove the file, then restart the process.'
const ALL_ANSWER_MS = 5000 // a process that is stopped does not delay the others' answers
const MAX_LISTED = 20 // names and processes, in an error

/** @typedef {{ socketPath: string, base: string } | { url: URL, token: string | null }} Target */

/** @param {Invocation} invocation */
function connect ({ positionals: [target], values, env, terminal, signal }) {
  if (values.token !== undefined) {
    terminal.note('note: other users of this host can see a token on the command line; use --token-file instead')
  }
  return createClient(findTarget(target, values, env), signal)
}

/**
 * The process or server that a command is about.
 * @param {string | undefined} text  a pid, a name or a URL
 * @param {{ socket?: string, token?: string, 'token-file'?: string }} options
 * @param {NodeJS.ProcessEnv} env
 * @returns {Target}
 */
function findTarget (text, options, env) {
  if (options.socket !== undefined) return { socketPath: path.resolve(options.socket), base: '' }
  if (text === undefined) {
    throw new Failure('usage', 'Which process? Pass a pid, a name or a URL.', '`loopscope list` shows the processes of this host.')
  }
  if (/^\d+$/.test(text)) return { socketPath: socketOf(Number(text), env), base: '' }
  if (!ADDRESS.test(text)) {
    const socketPath = socketOfName(text, env)
    if (socketPath !== null) return { socketPath, base: '' }
    if (!isHost(text)) throw noSuchName(text, env)
  }
  const url = parseUrl(text)
  const token = tokenOf(url, options, env)
  url.username = url.password = url.hash = ''
  return { url, token }
}

/** @param {string} text  without a port or a path */
function isHost (text) {
  return /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text)
}

/** @param {string} text */
function parseUrl (text) {
  try {
    const url = new URL(/^[a-z]+:\/\//i.test(text) ? text : `http://${text}`)
    if (url.protocol === 'http:' || url.protocol === 'https:') return url
  } catch {}
  throw new Failure('usage', `${text} is neither a pid nor a URL.`, 'Pass something like 1234, api or http://127.0.0.1:6060')
}

/**
 * @param {URL} url
 * @param {{ token?: string, 'token-file'?: string }} options
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | null}
 */
function tokenOf (url, { token, 'token-file': file }, env) {
  if (token !== undefined) return token
  if (file !== undefined) return readToken(file)
  const [, fragment] = /^#token=(.+)$/.exec(url.hash) ?? [] // the address as it is logged
  return decodeURIComponent(url.password) || fragment || env.LOOPSCOPE_TOKEN?.split(',')[0].replace(/^[a-z]+:/, '').trim() || null
}

/** @param {string} file */
function readToken (file) {
  try {
    const [line] = fs.readFileSync(file, 'utf8').split(/[,\n]/)
    return line.trim().replace(/^[a-z]+:/, '')
  } catch (error) {
    throw new Failure('token', `The token file cannot be read: ${/** @type {Error} */ (error).message}`)
  }
}

/** @param {number} pid @param {NodeJS.ProcessEnv} env */
function socketOf (pid, env) {
  const { socketPath, problems, candidates } = findControlSocket(pid, env)
  if (socketPath !== null) return socketPath
  assertAlive(pid)
  if (problems.length > 0) throw new Failure('permission', `Process ${pid} cannot be trusted: ${problems.join('; ')}.`, UNTRUSTED)
  throw new Failure('notInstrumented',
    `Process ${pid} runs without loopscope, or its control socket is elsewhere (tried ${candidates.join(', ')}).`, HOW_TO)
}

/** @param {number} pid */
function assertAlive (pid) {
  try {
    if (pid === 0) throw new Error('0 would mean the process group of this command')
    process.kill(pid, 0)
  } catch (/** @type {any} */ error) {
    if (error.code === 'EPERM') {
      throw new Failure('permission', `Process ${pid} belongs to another user.`, 'Run this as its user, or as root.')
    }
    throw new Failure('noProcess', `There is no process ${pid} on this host.`, '`loopscope list` shows the processes that can be reached.')
  }
}

/**
 * Sends one request to all processes of this user at the same time.
 * @param {string} path
 * @param {AnswerKind} kind  of their answers
 * @param {Pick<Invocation, 'env' | 'terminal' | 'signal'>} surroundings
 * @returns {Promise<any[]>} their answers; without processes that ended in the meantime, do not have the route, or
 *   answer in another form
 */
async function askAll (path, kind, { env, terminal, signal }) {
  const { pids, problems } = listControlSockets(env)
  for (const problem of problems) terminal.note(`skipped: ${problem}`)
  const answers = await Promise.all(pids.map(async pid => {
    try {
      const wanted = { type: 'application/json', withinMs: ALL_ANSWER_MS, maxBytes: ANSWERS[kind].maxBytes }
      const body = await createClient(findTarget(String(pid), {}, env), signal).bytes(path, wanted)
      const { value, problem } = readAnswer({ problem: null, body }, kind)
      if (problem !== null) terminal.note(`process ${pid} is skipped: ${problem}`)
      return value
    } catch (error) {
      if (/ files and sockets open /.test(String(error))) terminal.note(`process ${pid} does not answer: it has all the files open that it may have`)
      else if (/ is stopped, /.test(String(error))) terminal.note(`process ${pid} does not answer: it is stopped`)
      else if (/within/.test(String(error))) terminal.note(`process ${pid} does not answer: is it stopped?`)
      return null
    }
  }))
  signal.throwIfAborted()
  return answers.filter(answer => answer !== null)
}

/** @typedef {{ pid: number, appName: string, group: string, instance: string | null, socketPath: string }} Named */

/**
 * Finds a process by its name, wherever a command takes a pid: the name of the application, or of its group.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | null} its control socket; null: no process has this name
 * @throws where several have it
 */
function socketOfName (name, env) {
  const all = namedProcesses(env)
  const ofApplication = all.filter(({ appName }) => appName === name)
  const found = ofApplication.length > 0 ? ofApplication : all.filter(({ group }) => group === name)
  if (found.length <= 1) return found[0]?.socketPath ?? null
  const groups = [...new Set(found.map(({ group }) => group))]
  const combined = groups.length === 1 ? `Pass one of their pids, or --group ${groups[0]} for all of them as one.` : 'Pass one of their pids.'
  throw new Failure('usage', `${found.length} processes are called ${name}: ${listed(found.map(showInstance))}.`, combined)
}

/**
 * @param {string} name  that no process has
 * @param {NodeJS.ProcessEnv} env
 */
function noSuchName (name, env) {
  const all = namedProcesses(env)
  if (all.length === 0) return new Failure('noProcess', `No process is called ${name}: none of your processes can be reached.`, 'Start one with `loopscope run -- node app.js`, or pass a URL.')
  const names = [...new Set(all.flatMap(({ appName, group }) => [appName, group]))].sort()
  const closest = closestName(name, names)
  const meant = closest === undefined ? '' : ` Did you mean ${closest}?`
  const known = names.map(one => `${one} (${all.filter(({ appName, group }) => appName === one || group === one).map(({ pid }) => pid).join(', ')})`)
  return new Failure('noProcess', `No process is called ${name}.${meant}`, `Names: ${listed(known)}. An address begins with http://`)
}

/** The processes of this user that are running, by name and pid. @param {NodeJS.ProcessEnv} env @returns {Named[]} */
function namedProcesses (env) {
  const { directories, users } = controlDirectories(env)
  const trusted = [...new Set(directories)].filter(directory => problemOf(directory, null, users) === null)
  const found = trusted.flatMap(directory => listFacts(directory, users)
    .map(facts => ({ ...facts, socketPath: addressOf(directory, facts) }))
    // One of another container is there as long as its socket is.
    .filter(facts => problemOf(directory, facts.socketPath, users) === null && (isKnownToRun(facts) || facts.namespace !== ownNamespace() || (facts.start === '0' && isAlive(facts.pid)))))
  return found.sort((left, right) => left.appName.localeCompare(right.appName) || left.pid - right.pid)
}

/** @param {Named} process */
function showInstance ({ pid, instance }) {
  return instance === null ? String(pid) : `${pid} (instance ${instance})`
}

/** @param {string[]} names */
function listed (names) {
  const more = names.length > MAX_LISTED ? [`${names.length - MAX_LISTED} more`] : []
  return [...names.slice(0, MAX_LISTED), ...more].join(', ')
}

/** @param {string} name @param {string | undefined} text @param {number} max */
function secondsOf (name, text, max) {
  if (text === undefined) return undefined
  const seconds = Number(text)
  if (!(seconds > 0 && seconds <= max)) throw new Failure('usage', `${name} must be greater than 0 and at most ${max}, got ${text}.`)
  return seconds
}

module.exports = { ANSWER_OPTIONS, askAll, assertAlive, connect, CONNECT_OPTIONS, findTarget, JSON_OPTION, namedProcesses, parseUrl, secondsOf }
