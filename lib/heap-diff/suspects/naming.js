'use strict'

// Names a suspect after the nearest name on its retainer path that can be searched for in the source, and gives hints about typical causes of its
// kind of growth.

const { KEEPING_PACKAGES, packageOfPath } = require('../../shared/heap/keeping-packages')

/** @import { Holding } from './growth' */
/** @import { Step } from './retainer-path' */

/** @typedef {{ className: string, path: readonly Step[], holds: readonly Holding[], requests?: number, clientRequests?: number }} Growth  requests: that it gained */

const LISTENERS = '_events' // of an EventEmitter: event → listener, or an array of them
const TARGET_LISTENERS = '<symbol kEvents>' // of an EventTarget, such as an AbortSignal: a Map, whose entries are linked lists
const TIMERS = 'TimersList' // where Node.js keeps those of one duration
const TIMER_CALLS = 'setTimeout or setInterval'
const REDACTED = /\[redacted\b/ // wholly or in part, see observer/heap/redaction/

/** The queues of Node.js, by the property that holds them. */
const STREAM_QUEUES = new Map([['_writableState', 'write queue'], ['_readableState', 'read queue']])
const AGENT_QUEUES = new Map([['requests', 'waiting requests'], ['sockets', 'sockets in use'], ['freeSockets', 'idle sockets']])
const AGENT = /Agent$/
/** Names on the path through such a queue: its internal parts in Node.js. */
const QUEUE_PARTS = /^(?:buffered|buffer|head|tail|next|data|chunk|entry|bufferedRequest|lastBufferedRequest|<symbol k[A-Z]\w*>|)$/
const MAX_KEY_STEPS = 2 // of an agent: host with port, and an index
const MAX_LINKS = 4
const CLIENT_SHARE = 0.75 // a request that is served may make one itself, whose response is of the same class
const TIMER = /^(?:Timeout|Immediate|TimersList)$/
const NATIVE_CONTEXT = /^system \/ NativeContext$/
const CONTEXT = /^system \/ Context$/
const CACHE = /Cache$|^Hash$/ // of lodash
const MANY_CONNECTIONS = 100 // fewer are those of a server with its clients
const MAX_HINTS = 2

/** @param {Step} step */
function isNamed ({ by, name, isRepeated = false, isOfNode = false }) {
  if (isRepeated || isOfNode) return false
  return (by === 'property' || by === 'variable') && name !== '' && name !== '__proto__' && !REDACTED.test(name)
}

/** Whether the listeners themselves grew, not an object in a variable of one of them. @param {readonly Step[]} path */
function isOfListeners (path) {
  const events = listenersIn(path)
  if (events === -1) return false
  return path[events].name === LISTENERS ? path.findLastIndex(isNamed) <= events + 1 : path.slice(events + 1).every(({ by, name }) => by !== 'variable' && (name === '' || name === 'next'))
}

/** @param {readonly Step[]} path */
function listenersIn (path) {
  return path.findLastIndex(({ name }) => name === LISTENERS || name === TARGET_LISTENERS)
}

/** @param {readonly Step[]} path @param {string} className  if there is no name */
function nameOf (path, className) {
  if (path.at(-1)?.className === TIMERS) return TIMER_CALLS
  const queue = queueOf(path)
  if (queue !== null) return `${queue.owner}: ${queue.what}`
  const last = asWritten(path, className)
  const owner = ownerOfPackage(path)
  if (owner !== -1) return `${path[owner].name}: ${last}`
  if (!isOfListeners(path)) return last
  const events = listenersIn(path)
  const emitter = emitterOf(path.slice(0, events))
  if (path[events].name === TARGET_LISTENERS) return `${emitter ?? ownerOf(path.slice(0, events))}: listeners`
  if (emitter === undefined) return last
  return last === LISTENERS ? emitter : `${emitter}.on('${last}')`
}

/** `process` is named by its class, because Node.js has internal names for it. @param {readonly Step[]} path  to it */
function emitterOf (path) {
  return path.at(-1)?.className === 'process' ? 'process' : path.findLast(isNamed)?.name
}

/**
 * The queue of a stream or of an agent for connections, if the queue itself grew, not the content of one of its entries.
 * @param {readonly Step[]} path
 * @returns {{ kind: 'stream' | 'agent', what: string, owner: string } | null}
 */
function queueOf (path) {
  for (let at = path.length - 1; at > 0; at--) {
    const { by, name } = path[at]
    if (by !== 'property') continue
    const owner = () => ownerOf(path.slice(0, at))
    const inner = path.slice(at + 1)
    const ofStream = STREAM_QUEUES.get(name)
    if (ofStream !== undefined) return inner.every(step => step.by !== 'variable' && QUEUE_PARTS.test(step.name)) ? { kind: 'stream', what: ofStream, owner: owner() } : null
    const ofAgent = AGENT_QUEUES.get(name)
    if (ofAgent !== undefined && AGENT.test(path[at - 1].className)) return inner.length <= MAX_KEY_STEPS ? { kind: 'agent', what: ofAgent, owner: owner() } : null
  }
  return null
}

/** @param {Step | undefined} step */
function packageOf (step) {
  return packageOfPath(step?.place?.file ?? '')
}

/**
 * What grew may be an inner part of an object that a package made, which the application has in a variable: that is its name.
 * @param {readonly Step[]} path
 * @returns {number} index of the variable, or -1
 */
function ownerOfPackage (path) {
  const placedBefore = (/** @type {number} */ at) => path.slice(0, at).findLast(({ place }) => place !== null)
  const last = path.findLastIndex(isNamed)
  const inner = packageOf(placedBefore(last))
  if (last <= 0 || inner === null) return -1
  return path.findLastIndex((step, at) => {
    const holder = placedBefore(at)
    return at < last && isNamed(step) && packageOf(step) === inner && holder !== undefined && packageOf(holder) === null && holder.place?.file.startsWith('node:') === false
  })
}

/** V8 names a plain object after its keys, which may be data. @param {string} className */
function shownClass (className) {
  return className.startsWith('{') && REDACTED.test(className) ? 'Object' : className
}

/** @param {readonly Step[]} path  to it */
function ownerOf (path) {
  return path.findLast(isNamed)?.name ?? path.at(-1)?.className ?? ''
}

/** @param {readonly Step[]} path @param {string} className  if there is no name */
function asWritten (path, className) {
  const at = path.findLastIndex(isNamed)
  const name = at === -1 ? className : path[at].name
  const [, symbol] = /^<symbol (.*)>$/.exec(name) ?? []
  // A symbol alone is not sufficient: it is shown with its owner.
  return symbol === undefined ? name : at > 0 ? `${ownerOf(path.slice(0, at))}[Symbol(${symbol})]` : `Symbol(${symbol})`
}

/**
 * Who keeps a suspect, by the names in its path: what it is first, then what holds that.
 * @param {readonly Step[]} path
 * @param {string} subject  the suspect itself
 * @param {(step: Step) => string} positionOf  '' where it is not of the application
 * @returns {string | null} null: no name on the path
 */
function keptByText (path, subject, positionOf) {
  const links = [subject]
  const from = isOfListeners(path) ? listenersIn(path) : path.length - 1
  for (let at = from - 1; at >= 0 && links.length < MAX_LINKS; at--) {
    const link = linkOf(path, at, positionOf(path[at]))
    if (link !== null && link !== links.at(-1)) links.push(link)
  }
  return links.length === 1 ? null : links.join(' ← ')
}

/**
 * @param {readonly Step[]} path
 * @param {number} at
 * @param {string} position
 * @returns {string | null} null: no name that is in the source
 */
function linkOf (path, at, position) {
  const step = path[at]
  if (step.name === LISTENERS || step.name === TARGET_LISTENERS) return 'its listeners'
  if (step.by === 'entry') return step.className === 'Object' || step.className === 'Array' ? 'an entry' : `an entry (${[step.className, position].filter(Boolean).join(' in ')})`
  const isOfNode = step.className === 'Function' && step.place?.file.startsWith('node:') === true // a global function, over which the path happens to lead
  if (!isNamed(step) || isOfNode) return null
  if (step.name === 'exports' && step.by === 'property') return `\`module.exports\`${position === '' ? '' : ` (${position})`}`
  if (path[at - 1]?.name === LISTENERS) return `a listener for '${step.name}'${position === '' ? '' : ` (${position})`}`
  const kind = step.className === 'Function' || step.className === 'Object' || step.className.startsWith('{') ? '' : step.className
  const about = [kind, position].filter(Boolean).join(' in ')
  return `\`${step.name.replace(/^<symbol (.*)>$/, 'Symbol($1)')}\`${about === '' ? '' : ` (${about})`}`
}

/**
 * Typical causes of a kind of growth: what it is, and the usual cure in one sentence. Hints, not findings.
 * @type {readonly { is: (growth: Growth) => boolean, what: string | ((growth: Growth) => string), text: string }[]}
 */
const PATTERNS = Object.freeze([
  {
    is: ({ path }) => queueOf(path)?.what === 'write queue',
    what: 'the write queue of a stream',
    text: 'More is written to the stream than its destination accepts: wait for `drain` when write() returns false, and make sure that the other end reads.'
  },
  {
    is: ({ path }) => queueOf(path)?.what === 'read queue',
    what: 'the read queue of a stream',
    text: 'The data of the stream is not read: pipe it, call resume(), or destroy() it.'
  },
  {
    is: ({ path }) => queueOf(path)?.kind === 'agent',
    what: 'sockets or waiting requests of an HTTP client',
    text: 'Requests wait for a connection or keep one open: set a timeout for each, read every response to its end, and limit how many run at a time.'
  },
  ...KEEPING_PACKAGES.map(({ holder, file, name, cure }) => ({ is: (/** @type {Growth} */ { path }) => isHeldBy(path, { file, name }), what: holder, text: `${cure[0].toUpperCase()}${cure.slice(1)}.` })),
  {
    is: ({ path }) => isOfListeners(path),
    what: 'listeners',
    text: 'Listeners pile up: something calls on() for each request and never off(). Register once, use once(), or remove it when the request ends.'
  },
  {
    is: ({ className, holds }) => TIMER.test(className) || holdsAny(holds, TIMER),
    what: 'timers',
    text: 'Timers pile up, and retain everything their callbacks refer to: call clearInterval() or clearTimeout() when they are no longer needed.'
  },
  {
    is: ({ className, holds, requests = 0, clientRequests = 0 }) => /^(?:ClientRequest|BodyReadable)$/.test(className) || holdsAny(holds, /^(?:ClientRequest|BodyReadable)$/) ||
      (requests > 0 && clientRequests >= requests * CLIENT_SHARE),
    what: 'requests or responses of an HTTP client',
    text: 'Read every response to its end (`resume()`, `body.dump()`, or its text) or destroy it, set a timeout for each request, and limit how many run at a time.'
  },
  {
    is: ({ className, holds }) => NATIVE_CONTEXT.test(className) || holdsAny(holds, NATIVE_CONTEXT),
    what: 'contexts of `node:vm`, or of a window, that are still referred to',
    text: 'Each has a global object and builtins of its own, about 1 MB: reuse one context, and drop every function and object that came out of it (test runners, jsdom: close the window).'
  },
  {
    is: ({ className, holds }) => className === 'Promise' || holdsAny(holds, /^(?:Promise|PromiseReaction|Generator|AsyncFunction)/),
    what: ({ requests = 0 }) => `promises that do not settle, or functions that await them${requests === 0 ? '' : `; they hold ${requests} ${requests === 1 ? 'request' : 'requests'}`}`,
    text: 'Promises that never settle retain everything that awaits them: set a timeout for each.'
  },
  {
    is: areConnections,
    what: 'open connections',
    text: 'Connections stay open, and each keeps its socket, agent and listeners: use one agent for all requests, close what is idle, and set timeouts.'
  },
  {
    is: ({ holds }) => holdsAny(holds, /^(?:IncomingMessage|ServerResponse|Socket|Request|Http2.*)$/),
    what: 'requests that are kept',
    text: 'Finished requests are retained, with their sockets and headers: keep only the values that you need.'
  },
  {
    is: ({ holds }) => holdsAny(holds, /ArrayBuffer|^(?:Buffer|Uint8Array|FastBuffer)$/),
    what: 'Buffers',
    text: 'Small objects retain buffers outside the heap; a slice retains the whole buffer.'
  },
  {
    is: ({ holds }) => arePieces(holds),
    what: 'texts of which a piece is kept',
    text: 'In V8 a short piece of a long text (slice, split, match) keeps the whole text: copy the piece, as by `Buffer.from(piece).toString()`, or keep what is made of it.'
  },
  {
    is: ({ className, holds }) => /^(?:WeakRef|FinalizationRegistry)$/.test(className) || holdsAny(holds, /^(?:WeakRef|WeakCell)$/),
    what: 'WeakRefs',
    text: 'Empty WeakRefs are objects too: remove them with a FinalizationRegistry.'
  },
  {
    is: ({ className }) => /^(?:Map|Set|WeakMap|WeakSet)$/.test(className),
    what: 'a cache without a limit',
    text: 'Entries are added and never removed: limit its size (an LRU cache), let entries expire, or delete them when they are no longer needed.'
  },
  {
    is: ({ className, path }) => className === 'Array' && queueOf(path) === null,
    what: 'a list that only grows',
    text: 'The array is only appended to: limit its length, or clear it when its contents have been used.'
  },
  {
    is: ({ className, holds }) => CONTEXT.test(className) || holds[0]?.name === 'Function' || holdsAny(holds, CONTEXT),
    what: 'closures',
    text: 'Functions retain all variables of the scope in which they were created, including those that only other functions use.'
  },
  {
    is: ({ className, path }) => (className === 'Object' || className.startsWith('{')) && queueOf(path) === null,
    what: 'an object used as a cache without a limit',
    text: 'An object used as a map: properties are added and never removed. Limit its size, or use a Map and delete().'
  }
])

/**
 * Whether what grew is a part of an object of these files; of a package that has other functions as well, of a cache.
 * @param {readonly Step[]} path
 * @param {{ file: RegExp, name?: RegExp }} files
 */
function isHeldBy (path, { file, name }) {
  const last = path.findLastIndex(isNamed)
  const holder = path.slice(0, Math.max(0, last)).findLast(({ place }) => place !== null)
  return holder !== undefined && file.test(holder.place?.file ?? '') && (name === undefined || name.test(holder.className) || CACHE.test(holder.className))
}

/** @param {readonly Holding[]} holds @param {RegExp} className */
function holdsAny (holds, className) {
  return holds.some(({ name }) => className.test(name))
}

/** @param {readonly Holding[]} holds */
function arePieces (holds) {
  const pieces = holds.find(({ name }) => name === '(sliced string)')
  return pieces !== undefined && holds.every(({ bytes }) => bytes <= 2 * pieces.bytes)
}

/**
 * Whether the event loop itself retains it: connections that are open.
 * @param {Pick<Growth, 'className' | 'holds'>} growth
 */
function areConnections ({ className, holds }) {
  return className === '(synthetic)' && holds.some(({ name, count }) => /^(?:TCP|TLSWrap|Pipe)$/.test(name) && count >= MANY_CONNECTIONS)
}

/** @param {Growth} growth @returns {string[]} */
function patternsOf (growth) {
  return PATTERNS.filter(({ is }) => is(growth)).slice(0, MAX_HINTS).map(({ text }) => text)
}

/** @param {Growth} growth @returns {string | null} what it is, in a developer's words; null: not recognized */
function whatOf (growth) {
  const what = PATTERNS.find(({ is }) => is(growth))?.what ?? null
  return typeof what === 'function' ? what(growth) : what
}

module.exports = { areConnections, isNamed, isOfListeners, keptByText, nameOf, ownerOfPackage, patternsOf, shownClass, whatOf }
