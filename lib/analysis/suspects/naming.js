'use strict'

// What a suspect is called: by the nearest name on the way to it that can be searched for in the source.

/** @import { Step } from './retainer-path' */

const LISTENERS = '_events' // of an EventEmitter: event → listener, or an array of them
const TIMERS = 'TimersList' // where Node.js keeps those of one duration
const TIMER_CALLS = 'setTimeout or setInterval'
const REDACTED = /\[redacted\b/ // wholly or in part, see observer/heap/redaction/

/** Where Node.js keeps what waits, by the property of the object that it is of. */
const STREAM_QUEUES = new Map([['_writableState', 'write queue'], ['_readableState', 'read queue']])
const AGENT_QUEUES = new Map([['requests', 'waiting requests'], ['sockets', 'sockets in use'], ['freeSockets', 'idle sockets']])
const AGENT = /Agent$/
/** What is in such a queue on the way to what grew: Node.js's own parts of it. */
const QUEUE_PARTS = /^(?:buffered|buffer|head|tail|next|data|chunk|entry|bufferedRequest|lastBufferedRequest|<symbol k[A-Z]\w*>|)$/
const MAX_KEY_STEPS = 2 // of an agent: host and port, and a number

/** @param {Step} step */
function isNamed ({ by, name, isRepeated = false, isOfNode = false }) {
  if (isRepeated || isOfNode) return false
  return (by === 'property' || by === 'variable') && name !== '' && name !== '__proto__' && !REDACTED.test(name)
}

/**
 * Whether it is listeners themselves, and not what one of them has in a variable.
 * @param {readonly Step[]} path
 */
function isOfListeners (path) {
  const events = path.findLastIndex(({ name }) => name === LISTENERS)
  return events !== -1 && path.findLastIndex(isNamed) <= events + 1
}

/**
 * @param {readonly Step[]} path
 * @param {string} className  where there is no name
 */
function nameOf (path, className) {
  if (path.at(-1)?.className === TIMERS) return TIMER_CALLS
  const queue = queueOf(path)
  if (queue !== null) return `${queue.owner}: ${queue.what}`
  const last = asWritten(path, className)
  if (!isOfListeners(path)) return last
  const emitter = emitterOf(path.slice(0, path.findLastIndex(({ name }) => name === LISTENERS)))
  if (emitter === undefined) return last
  return last === LISTENERS ? emitter : `${emitter}.on('${last}')`
}

/**
 * Node.js has names of its own for `process`.
 * @param {readonly Step[]} path  to it
 */
function emitterOf (path) {
  return path.at(-1)?.className === 'process' ? 'process' : path.findLast(isNamed)?.name
}

/**
 * A queue of a stream or of an agent for connections, when it is that which grew, and not what one of its entries has.
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

/** @param {readonly Step[]} path  to it */
function ownerOf (path) {
  return path.findLast(isNamed)?.name ?? path.at(-1)?.className ?? ''
}

/**
 * @param {readonly Step[]} path
 * @param {string} className  where there is no name
 */
function asWritten (path, className) {
  const at = path.findLastIndex(isNamed)
  const name = at === -1 ? className : path[at].name
  const [, symbol] = /^<symbol (.*)>$/.exec(name) ?? []
  // A symbol alone says little: it is the key of something.
  return symbol === undefined ? name : at > 0 ? `${ownerOf(path.slice(0, at))}[Symbol(${symbol})]` : `Symbol(${symbol})`
}

module.exports = { isNamed, isOfListeners, nameOf, queueOf }
