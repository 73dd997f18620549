'use strict'

// Prepares the samples of a profile for findings: the time and duration of each, the stack of each node, and parts of a profile as profiles.
// Pure.

const { calledPackage, isPassingOn } = require('../../formats/profile/called-package')
const { createFrameOf, LOOP_IO, packageOf } = require('../../formats/profile/frame')
const { awaitedWorkOf, isOfWebStreams, publicModuleOf, publicName } = require('../../formats/profile/node-api')
const { idleUnless, parentsOf } = require('../../formats/profile/nodes')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { Frame } from '../../formats/profile/frame' */
/** @import { SourceLines } from '../stalls/culprit/source-lines' */

/**
 * @typedef {object} Sample
 * @property {number} id       of the node
 * @property {number} index
 * @property {number} micros   the time that it stands for
 * @property {number} atMicros at its end, from the profile's start
 */

// Idle time before and after the work is left out, if there was a notable amount of work.
const SECOND_MICROS = 1e6
const AT_WORK_SHARE = 0.05
const MIN_OBSERVED_SECONDS = 10

const LOADER = /^node:internal\/modules\//
const STREAMS = /^node:internal\/(?:web)?streams\//
const BUFFER = 'node:buffer'
const BUFFER_MAKERS = new Set(['alloc', 'allocUnsafe', 'allocUnsafeSlow', 'from', 'concat', 'copyBytesFrom'])
/** Node's own logger. */
const CONSOLE = 'console'
const CONSOLE_FILE = /^node:(internal\/)?console/
const LOGGERS = new Set([
  'bunyan', 'consola', 'debug', 'log4js', 'logform', 'loglevel', 'morgan', 'npmlog', 'pino', 'pino-http', 'pino-pretty', 'roarr', 'signale', 'sonic-boom', 'tslog', 'winston'
])
const TASK_QUEUES = 'node:internal/process/task_queues'
const TIMERS = 'node:internal/timers'
// Functions of Node.js in which a socket writes, sends a datagram, is made and connected, is accepted, or is closed.
/** @type {[NonNullable<Stack['socket']>, RegExp][]} */
const SOCKET = [
  ['write', /^node:internal\/stream_base_commons (handleWriteReq|createWriteWrap|write(v)?Generic|afterWriteDispatched)$/],
  ['write', /^node:net (Socket\.)?(_write|_writev|_writeGeneric)$/],
  ['send', /^node:dgram (Socket\.)?(send|doSend)$/],
  ['connect', /^node:net (Socket\.)?(connect|internalConnect|internalConnectMultiple|lookupAndConnect|lookupAndConnectMultiple)$/],
  ['connect', /^node:(internal\/tls\/wrap|_tls_wrap) (exports\.)?connect$/],
  ['connect', /^node:_http_agent (Agent\.)?createSocket$/],
  ['accept', /^node:net onconnection$/],
  ['close', /^node:net (closeSocketHandle|(Socket\.)?(_destroy|_final))$/]
]
const FILE_WRITES = new Set(['writeSync', 'writevSync', 'writeFileSync', 'appendFileSync'])
// How bundlers and React name builds that check everything they do.
const DEVELOPMENT = /(^|\/)node_modules\/.*[./-]development(\.[\w-]+)*\.[cm]?js$/
// How packages name what makes code of a template, a schema or a query.
const COMPILES = /(^|[._])(pre)?compile([A-Z_]\w*)?$/
// JSON.stringify() and template literals call these for each object.
const CONVERTERS = /(^|[. ])(toJSON|toString|\[Symbol\.toPrimitive\])$/
const TASK_NATIVES = new Set(['runMicrotasks', 'enqueueMicrotask'])

/**
 * @typedef {object} Stack  of a node
 * @property {'idle' | 'gc' | 'io' | 'engine' | 'code'} state  io: the event loop outside JavaScript
 * @property {Frame[]} run       the innermost functions of the application, innermost first, up to their caller in other code
 * @property {string | null} called  the package that the application called, or the module of web streams, if the stack shows it without the application
 * @property {'write' | 'send' | 'connect' | 'accept' | 'close' | null} socket  what it does with a socket; send: a datagram
 * @property {boolean} isWritingElsewhere  it writes to a file at once, or a log to a pipe
 * @property {boolean} isWritingFile  it writes to a file synchronously
 * @property {string | null} logger  what writes a log: the package that was called for it, or CONSOLE of Node.js
 * @property {boolean} isOwn  a function of the application itself is at work, and not what it calls
 * @property {boolean} isLoading
 * @property {boolean} isStreaming  the application passes a chunk to a stream of Node.js, which handles it, or web streams handle one in a microtask
 * @property {boolean} isBuffer  a Buffer is created and filled
 * @property {boolean} isImmediate  setImmediate() called it, or what it awaited
 * @property {string | null} nodeCall  the function of Node.js that the application called
 * @property {string | null} development  the package whose development build is on the stack
 * @property {string | null} inPackage  the package that the application called
 * @property {string | null} compiling  the outermost package that compiles a template or schema
 * @property {Frame | null} converter  the outermost toJSON() or toString()
 * @property {boolean} isTask    called only by the queue of microtasks or ticks, as after an await
 * @property {boolean} isTasks   the queue of microtasks or ticks itself is running, not a task
 */

/** @param {CpuProfile} profile @returns {Sample[]} */
function readSamples ({ samples, timeDeltas }) {
  let atMicros = 0
  return samples.map((id, index) => {
    atMicros += timeDeltas[index]
    return { id, index, micros: timeDeltas[index], atMicros }
  })
}

/**
 * The samples from the first second with work to the last one.
 * @param {readonly Sample[]} samples
 * @param {(sample: Sample) => boolean} isIdle
 * @param {boolean} [isServing]  at the end it is at work, however little the loop has to do
 * @returns {Sample[]}
 */
function withoutIdleEnds (samples, isIdle, isServing = false) {
  /** @type {number[]} */
  const busyMicros = []
  for (const sample of samples) {
    const second = Math.floor(sample.atMicros / SECOND_MICROS)
    busyMicros[second] = (busyMicros[second] ?? 0) + (isIdle(sample) ? 0 : sample.micros)
  }
  const isAtWork = (/** @type {number} */ micros) => micros >= SECOND_MICROS * AT_WORK_SHARE
  const first = busyMicros.findIndex(isAtWork)
  const last = busyMicros.findLastIndex(isAtWork)
  if (first === -1) return [...samples]
  const from = Math.max(0, Math.min(first, last - MIN_OBSERVED_SECONDS + 1)) * SECOND_MICROS
  const to = isServing ? Infinity : Math.max(last + 1, first + MIN_OBSERVED_SECONDS) * SECOND_MICROS
  return samples.filter(({ atMicros }) => atMicros > from && atMicros <= to)
}

/**
 * The same profile with only these samples: all others count as idle.
 * @param {CpuProfile} profile
 * @param {readonly Sample[]} kept
 * @returns {CpuProfile}
 */
function onlySamples (profile, kept) {
  const indexes = new Set(kept.map(({ index }) => index))
  return idleUnless(profile, index => indexes.has(index)).profile
}

/**
 * The stack of each node.
 * @param {CpuProfile} profile
 * @param {{ appRoot: string, source: SourceLines }} context
 * @returns {Map<number, Stack>} by the id of the node
 */
function readStacks ({ nodes }, { appRoot, source }) {
  const frameOf = createFrameOf({ appRoot })
  const parents = parentsOf(nodes)
  const byId = new Map(nodes.map(node => [node.id, node]))
  return new Map(nodes.map(({ id }) => {
    const frames = []
    for (let node = byId.get(id); node !== undefined; node = byId.get(parents.get(node.id) ?? NaN)) frames.push(frameOf(node.callFrame))
    return [id, describeStack(frames, source)]
  }))
}

/**
 * @param {Frame[]} frames  innermost first
 * @param {SourceLines} source
 * @returns {Stack}
 */
function describeStack (frames, { dependsOn }) {
  const [leaf] = frames
  const passedOn = frames.findIndex(isPassingOn)
  const since = passedOn === -1 ? frames : frames.slice(0, passedOn)
  const app = since.findIndex(({ origin }) => origin === 'app')
  // Middleware that logs has the handlers behind it on the stack, and a logger the application's own transports.
  const below = app === -1 ? since : since.slice(0, app)
  const socket = socketCallOf(frames)
  const logger = loggerOf(below)
  const isWritingFile = frames.some(({ file, name }) => file === 'node:fs' && FILE_WRITES.has(name))
  const isLogWrite = logger !== null && socket === 'write'
  const ofStreams = app === -1 ? since.find(({ file }) => isOfWebStreams(file)) ?? null : null
  return {
    state: stateOf(leaf),
    run: runOf(since),
    called: calledPackage(since.toReversed(), dependsOn) ?? calledPackage(frames.toReversed(), dependsOn) ?? (ofStreams && publicModuleOf(ofStreams.file)),
    socket: isLogWrite ? null : socket,
    isWritingElsewhere: isLogWrite || isWritingFile,
    isWritingFile,
    logger,
    isOwn: leaf.origin === 'app',
    isLoading: frames.some(({ file }) => LOADER.test(file)),
    isStreaming: app === -1 ? ofStreams !== null : STREAMS.test(below.at(-1)?.file ?? ''),
    isBuffer: frames.some(({ file, name }) => file === BUFFER && BUFFER_MAKERS.has(name.replace(/^.*\./, ''))),
    isImmediate: frames.some(({ file, name }) => file === TIMERS && name === 'processImmediate'),
    nodeCall: app > 0 && below[app - 1].origin === 'node' ? publicName(below[app - 1]) ?? below[app - 1].name : null,
    development: ownerOf(frames.find(({ file }) => DEVELOPMENT.test(file))),
    inPackage: app === -1 ? null : ownerOf(below.findLast(({ origin }) => origin === 'dependency')),
    compiling: ownerOf(frames.findLast(({ origin, name }) => origin === 'dependency' && COMPILES.test(name))),
    converter: frames.findLast(({ origin, name }) => (origin === 'app' || origin === 'dependency') && CONVERTERS.test(name)) ?? null,
    isTask: frames.slice(frames.findLastIndex(({ origin }) => origin === 'app') + 1).every(frame => frame.origin === 'meta' || isQueue(frame)),
    isTasks: isQueue(leaf)
  }
}

/** @param {Frame | undefined} frame */
function ownerOf (frame) {
  return frame === undefined ? null : packageOf(frame.file)
}

/** @param {Frame[]} below  what the application called, innermost first */
function loggerOf (below) {
  const outermost = below.findLast(({ file }) => CONSOLE_FILE.test(file) || isLogger(packageOf(file)))
  if (outermost === undefined) return null
  return CONSOLE_FILE.test(outermost.file) ? CONSOLE : packageOf(outermost.file)
}

/** @param {string} name  of a package */
function isLogger (name) {
  return LOGGERS.has(name)
}

/** @param {Frame} frame */
function isQueue ({ file, origin, name }) {
  return file === TASK_QUEUES || (origin === 'native' && TASK_NATIVES.has(name))
}

/**
 * @param {Frame[]} frames  innermost first
 * @returns {Stack['socket']}
 */
function socketCallOf (frames) {
  for (const { origin, file, name } of frames) {
    if (origin === 'app' || origin === 'dependency') return null
    const found = origin === 'node' ? SOCKET.find(([, pattern]) => pattern.test(`${file} ${name}`)) : undefined
    if (found !== undefined) return found[0]
  }
  return null
}

/** @param {Frame} leaf */
function stateOf ({ name, origin }) {
  if (origin !== 'meta') return 'code'
  if (name === '(idle)') return 'idle'
  if (name === LOOP_IO) return 'io'
  return name === '(garbage collector)' ? 'gc' : 'engine'
}

/**
 * A function that calls the application's own helpers is responsible for them. A function called by a framework is responsible for itself, and
 * the middleware further out that passed the request on is not. Builtins with callbacks (map, sort) may be in between. Where the application only
 * awaits, Node's function does its work.
 * @param {Frame[]} frames  innermost first
 */
function runOf (frames) {
  const begin = frames.findIndex(({ origin }) => origin === 'app')
  if (begin === -1) return frames.some(({ origin }) => origin === 'dependency') ? [] : frames.filter(frame => awaitedWorkOf(frame) !== null && !isOfWebStreams(frame.file))
  const length = frames.slice(begin).findIndex(({ origin }) => origin !== 'app' && origin !== 'native')
  const run = length === -1 ? frames.slice(begin) : frames.slice(begin, begin + length)
  return run.filter(({ origin }) => origin === 'app')
}

module.exports = { isLogger, onlySamples, readSamples, readStacks, withoutIdleEnds }
