'use strict'

// What one sampled request awaited: for each wait its stack, begin and end. Stacks are captured when the wait begins, and read when the request is
// over, or no longer sampled: reading takes several times as long, and the request should not pay for it.

const { toJson } = require('../../base/globals')
const { monotonicMicros } = require('../../base/monotonic')
const { captureStack, readStacks } = require('../call-sites')

/** @import { CapturedStack } from '../call-sites' */
/** @import { RequestContext } from '../http/contexts/one-request' */

// The function that waits and its callers. A library may have ten frames of its own above the application's.
const DEPTH = 20
// Who made a promise: only the frames above the application's are read.
const MADE_DEPTH = 8
// Where a promise was settled: by a timer or a callback of Node.js, or by other code of the application.
const SETTLED_DEPTH = 16
// Captured stacks of one request: so many at once, and one more for each of these stretches of its time. Of what is more only the waits are captured, with
// fewer frames: the function that waits for all that it began does so last. Of a request with so many in all only the first ones are seen.
const MAX_AT_ONCE = 400
const MICROS_OF_ONE = 250
const MAX_CAPTURED = 2000
const MAX_LENGTH = 300 // of names and files, each

// Frames of one process; a few hundred bytes each.
const MAX_KNOWN = 5000
const NO_FRAMES = '[]'
// V8's own functions, the queue of microtasks and timers, between which it runs, and what calls the hooks.
const RUNS_NOTHING = /^(?:$|node:internal\/(?:process\/task_queues|promise_hooks|async_hooks|timers)$)/

/**
 * A frame; lines and columns from 1, of the call and of the function's begin. V8's builtins have neither file nor position, Node's own code no
 * position.
 * @typedef {[name: string, file: string, line: number, column: number, functionLine: number, functionColumn: number]} AwaitFrame
 *
 * @typedef {object} Wait  that has begun
 * @property {CapturedStack | null} stack  null once it is read
 * @property {CapturedStack | null} made   where the awaited promise was made
 * @property {Settled | null} settled  how the awaited promise was settled; null: not for a callback
 * @property {boolean} isShared  the awaited promise was not made for this request, or another one awaits it as well
 * @property {string} resource  what a callback waits for: `timer`, `file`; '' for a promise
 * @property {number} fromMicros
 * @property {number} toMicros  0: it has not ended
 * @property {AwaitSample} sample
 *
 * @typedef {object} Settled  how a promise that sampled requests await was settled
 * @property {CapturedStack | null} stack
 * @property {RequestContext | undefined} context  of the code that settled it
 * @property {number} sinceMicros  when that code began to wait for what let it go on; 0: not known
 * @property {number} byMicros  begin of the request that the code belongs to; 0: none, or it is over
 *
 * @typedef {object} SampleFacts  as it is sent to the observer
 * @property {string} route
 * @property {number} startMicros
 * @property {number} toMicros
 * @property {boolean} isOpen  it was not answered: it is under way still, or its client has given up
 * @property {number} truncatedMicros  when it had captured too many stacks: what began later is not seen; 0: it was followed to the end
 * @property {[stack: number, made: number, fromMicros: number, toMicros: number, resource: string, settled: number, isByOther: 0 | 1, sinceMicros: number,
 *   byMicros: number, isShared: 0 | 1][]} waits  stacks: indexes in the batch, -1: none; isByOther: settled by code of another request, or of none; sinceMicros: of Settled;
 *   byMicros: the begin of that other request, 0: it is over, or there is none
 * @property {number[]} runs  begins and ends: the request's own code, after a wait
 * @property {number} clientMicros  in which its client had not read what was sent, as far as the ticks of the heartbeat show
 * @property {number} uploadMicros  in which its client had not sent all of the request, likewise
 *
 * @typedef {{ stacks: string[], samples: SampleFacts[] }} AwaitBatch  stacks: JSON of AwaitFrame[], innermost first
 */

class AwaitSample {
  context
  isOver = false
  truncatedMicros = 0
  /** @type {Wait[]} */
  waits = []
  /** @type {number[]} */
  runs = []
  /** Async ids of resources that it waits for. @type {number[]} */
  resources = []
  /** In which its client had not read what was sent. */
  clientMicros = 0
  /** In which its client had not sent all of the request. */
  uploadMicros = 0
  #captured = 0

  /** @param {RequestContext} context */
  constructor (context) {
    this.context = context
  }

  /** @param {Function} callee @param {boolean} isMade  a promise is made, not awaited */
  capture (callee, isMade) {
    if (!this.#hasMany()) return this.#capture(callee, isMade ? MADE_DEPTH : DEPTH)
    return isMade ? null : this.#capture(callee, MADE_DEPTH)
  }

  /** @param {Function} callee  a promise that it awaits is settled */
  captureSettled (callee) {
    return this.#hasMany() ? null : this.#capture(callee, SETTLED_DEPTH)
  }

  /** @param {Function} callee @param {number} depth */
  #capture (callee, depth) {
    if (this.#captured === MAX_CAPTURED) this.truncatedMicros ||= monotonicMicros()
    if (this.isTruncated) return null
    this.#captured++
    return captureStack(callee, depth)
  }

  #hasMany () {
    return this.#captured >= MAX_AT_ONCE && this.#captured >= MAX_AT_ONCE + (monotonicMicros() - this.context.startMicros) / MICROS_OF_ONE
  }

  get isTruncated () { return this.truncatedMicros !== 0 }

  /**
   * @param {Settled | null} settled
   * @returns {[isByOther: 0 | 1, sinceMicros: number, byMicros: number]}
   */
  #settlerOf (settled) {
    if (settled === null) return [0, 0, 0]
    const { context, sinceMicros, byMicros } = settled
    return context === this.context ? [0, sinceMicros, 0] : [1, sinceMicros, byMicros]
  }

  /**
   * @param {Batch} batch  it is added to
   * @param {string} route
   * @param {number} toMicros
   * @param {boolean} isOpen
   */
  close (batch, route, toMicros, isOpen) {
    this.isOver = true
    const { waits, runs, clientMicros, uploadMicros, truncatedMicros, context: { startMicros } } = this
    readOnce(waits.flatMap(({ stack, made, settled }) => [stack, made, settled?.stack ?? null]))
    const numberOf = (/** @type {CapturedStack | null | undefined} */ stack) => batch.numberOf(stack ? texts.get(stack) ?? NO_FRAMES : NO_FRAMES)
    batch.samples.push({
      route,
      startMicros,
      toMicros,
      isOpen,
      truncatedMicros,
      waits: waits.map(({ stack, made, settled, resource, ...wait }) => [
        numberOf(stack), numberOf(made), wait.fromMicros, Math.min(toMicros, wait.toMicros || toMicros), resource, numberOf(settled?.stack), ...this.#settlerOf(settled), wait.isShared ? 1 : 0
      ]),
      runs,
      clientMicros,
      uploadMicros
    })
    for (const wait of waits) wait.stack = wait.made = wait.settled = null // a promise that never settles may keep the wait
  }
}

class Batch {
  /** @type {SampleFacts[]} */
  samples = []
  /** @type {Map<string, number>} */
  #numbers = new Map()

  /** @param {string} text */
  numberOf (text) {
    if (text === NO_FRAMES) return -1
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    this.#numbers.set(text, this.#numbers.size)
    return this.#numbers.size - 1
  }

  /** @returns {AwaitBatch} */
  read () {
    return { stacks: [...this.#numbers.keys()], samples: this.samples }
  }
}

/** Frames as JSON, by file and position: reading one anew takes ten times as long. @type {Map<string, Map<number, string>>} */
const known = new Map()
let knownCount = 0

/** As JSON: a stack can be read once, and several waits, also of several requests, may share it. @type {WeakMap<CapturedStack, string>} */
const texts = new WeakMap()

/** @param {(CapturedStack | null)[]} stacks */
function readOnce (stacks) {
  const unread = [...new Set(stacks)].filter(stack => stack !== null && !texts.has(stack))
  readStacks(unread).forEach((sites, index) => { texts.set(/** @type {CapturedStack} */ (unread[index]), describe(sites)) })
}

/**
 * Where V8 itself waits for a promise, or resolves one, no function runs: the first one that Node.js 26 shows there only awaits the rest.
 * @param {NodeJS.CallSite[]} sites
 */
function withoutAwaiters (sites) {
  const first = sites.findIndex(site => !RUNS_NOTHING.test(site.getScriptNameOrSourceURL() ?? ''))
  return first !== -1 && sites[first].isAsync() ? sites.slice(0, first) : sites
}

/** @param {NodeJS.CallSite[]} sites */
function describe (sites) {
  try {
    return `[${withoutAwaiters(sites).map(describeSite).join()}]`
  } catch {
    return NO_FRAMES
  }
}

/**
 * @param {any} site  getPosition(), getEnclosingLineNumber() and getEnclosingColumnNumber() are not in the types; Node 20 to 26 have them
 * @returns {string} JSON of an AwaitFrame
 */
function describeSite (site) {
  const file = site.getScriptNameOrSourceURL() ?? ''
  if (file === '') return toJson([bound(site.getFunctionName() ?? ''), '', 0, 0, 0, 0])
  const position = site.getPosition()
  const found = known.get(file)?.get(position)
  if (found !== undefined) return found
  const name = bound(site.getFunctionName() ?? '')
  const text = toJson(file.startsWith('node:')
    ? [name, bound(file), 0, 0, 0, 0]
    : [name, bound(file), site.getLineNumber() ?? 0, site.getColumnNumber() ?? 0, site.getEnclosingLineNumber() ?? 0, site.getEnclosingColumnNumber() ?? 0])
  keep(file, position, text)
  return text
}

/** @param {string} file @param {number} position @param {string} text */
function keep (file, position, text) {
  if (knownCount === MAX_KNOWN) {
    known.clear()
    knownCount = 0
  }
  knownCount++
  const positions = known.get(file)
  if (positions === undefined) known.set(file, new Map([[position, text]]))
  else positions.set(position, text)
}

/** @param {string} text */
function bound (text) {
  return text.length <= MAX_LENGTH ? text : text.slice(0, MAX_LENGTH)
}

module.exports = { AwaitSample, Batch }
