'use strict'

// Samples where the process creates Buffers and receives data, and which of them are still alive: by call site, route and time of birth. Only while it
// is armed, for a bounded time; otherwise nothing is wrapped. It runs in the application's thread, since only there is a stack.

const { captureStack } = require('../call-sites')
const { guarded } = require('../../base/guard')
const { toJson } = require('../../base/globals')
const { monotonicMicros } = require('../../base/monotonic')
const { clearTimeout, setTimeout } = require('../../base/timers')
const { contextOn } = require('../http/contexts/one-request')
const { routeOf } = require('../http/route-template')
const { Patches, wrapNoted } = require('../sync-calls/wrapper')
const { sitesOf } = require('./buffer-stacks')

/** @import { CapturedStack } from '../call-sites' */
/** @import { RequestContext } from '../http/contexts/one-request' */
/** @import { BufferStack } from './buffer-stacks' */

const MEAN_BYTES = 64 * 1024 // between two samples: 16 a MB
const MAX_PER_SECOND = 150 // samples; beyond that they become rarer. One takes about 15 us with its stack: a quarter of a percent
const MAX_OWN_MS = 7 // a second, with the stacks that are read: beyond that likewise
const MAX_ENTRIES = 8000
const DEPTH = 24
const SWEEP_MS = 1000
const ROUTED_MICROS = 1e6 // a router may await: after that the route of a request is available
const MAX_ROUTES = 500
const MAX_SITES = 100
const CREATORS = ['alloc', 'allocUnsafe', 'allocUnsafeSlow', 'from', 'concat', 'copyBytesFrom']

/** Of received data that the stack does not show being read. @type {BufferStack} */
const UNREAD = Object.freeze({ frames: [], api: 'received' })

/**
 * @typedef {object} BytesMeter  what the wrappers share
 * @property {number} left  bytes until the next sample
 * @property {unknown} last  what was created last: one function of Buffer calls another
 * @property {(created: any, wrapper: Function) => void} sampleCreated
 * @property {(stream: any, chunk: any) => void} sampleReceived
 *
 * @typedef {object} Origin  a stack, which can be read once
 * @property {CapturedStack | null} stack  until it is read
 * @property {BufferStack | null} site     null also: loopscope's own
 *
 * @typedef {object} Entry  a sampled piece of memory that was alive when it was last looked at
 * @property {WeakRef<ArrayBufferLike>} memory
 * @property {number} bytes  that it stands for
 * @property {number} bornMicros
 * @property {Origin} origin
 * @property {boolean} isReceived
 * @property {RequestContext | null} context  until its route is available
 * @property {string | null} route
 *
 * @typedef {BufferStack & { isReceived: boolean, route: string | null, bytes: number, samples: number, byBirth: number[] }} BufferSite  of what is alive:
 *   byBirth: bytes by the interval in which it was created
 *
 * @typedef {object} BufferReading
 * @property {BufferSite[]} sites  heaviest first
 * @property {number} aliveBytes   of all sites
 * @property {Record<string, number>} requests  how many ended meanwhile, by route
 * @property {number} ownMs  main-thread time that it took so far, without the wrappers
 */

class BufferSites {
  #context
  #notes
  #now
  #patches = new Patches()
  /** @type {Entry[]} */
  #entries = []
  #meanBytes = MEAN_BYTES
  #sampled = 0 // since the last sweep
  /** @type {BytesMeter} */
  #meter = {
    left: 0,
    last: null,
    sampleCreated: guarded((created, wrapper) => this.#sampleCreated(created, wrapper)),
    sampleReceived: guarded((stream, chunk) => this.#sampleReceived(stream, chunk))
  }

  /** Where the data of a stream is read. @type {WeakMap<object, Origin>} */
  #readers = new WeakMap()
  #readersLeft = 0
  /** Classes of streams that read from a connection. @type {Function[]} */
  #sources = []
  /** Ended ones, by route. @type {Map<string, number>} */
  #requests = new Map()
  #ownMs = 0
  #untilMicros = 0
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  #isSampling = false

  /**
   * @param {object} parts
   * @param {{ current (): RequestContext | undefined }} parts.context
   * @param {{ onAnswer: ((route: string) => void) | null }} parts.notes  which calls it for each request that ends
   * @param {() => number} [parts.now]  microseconds
   */
  constructor ({ context, notes, now = monotonicMicros }) {
    this.#context = context
    this.#notes = notes
    this.#now = now
  }

  get isArmed () { return this.#timer !== undefined }

  /**
   * @param {number} seconds  it ends by itself then; 0: now
   * @returns {{ isNew: boolean }}
   */
  arm (seconds) {
    const isNew = !this.isArmed && seconds > 0
    this.#untilMicros = this.#now() + seconds * 1e6
    if (seconds === 0) this.stop()
    if (isNew) this.#start()
    return { isNew }
  }

  #start () {
    this.#notes.onAnswer = route => this.#noteRequest(route)
    this.#meanBytes = MEAN_BYTES
    this.#ownMs = 0
    this.#meter.left = this.#nextLeft()
    this.#readersLeft = MAX_PER_SECOND
    this.#wrap()
    this.#sweepLater()
  }

  stop () {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#patches.restore()
    this.#notes.onAnswer = null
    this.#entries = []
    this.#requests.clear()
    this.#meter.last = null
    this.#readers = new WeakMap()
  }

  /** @param {string} route  of a request that ended */
  #noteRequest (route) {
    const requests = this.#requests
    if (requests.size < MAX_ROUTES || requests.has(route)) requests.set(route, (requests.get(route) ?? 0) + 1)
  }

  /**
   * @param {number[]} boundaries  microseconds: the ends of the intervals of birth but for the last one
   * @returns {BufferReading}
   */
  read (boundaries) {
    this.#sweep()
    /** @type {Map<string, BufferSite>} */
    const sites = new Map()
    for (const { bytes, bornMicros, origin: { site }, isReceived, route } of this.#entries) {
      if (site === null) continue
      const key = toJson([site.frames, site.api, isReceived, route])
      const known = sites.get(key) ?? { ...site, isReceived, route, bytes: 0, samples: 0, byBirth: new Array(boundaries.length + 1).fill(0) }
      sites.set(key, known)
      known.bytes += bytes
      known.samples++
      known.byBirth[boundaries.filter(boundary => boundary <= bornMicros).length] += bytes
    }
    const all = [...sites.values()]
    return {
      sites: all.sort((left, right) => right.bytes - left.bytes).slice(0, MAX_SITES),
      aliveBytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
      requests: Object.fromEntries(this.#requests),
      ownMs: this.#ownMs
    }
  }

  #wrap () {
    const { Buffer } = process.getBuiltinModule('node:buffer')
    const { Readable } = process.getBuiltinModule('node:stream')
    const { IncomingMessage } = process.getBuiltinModule('node:http')
    this.#sources = [IncomingMessage, process.getBuiltinModule('node:net').Socket]
    const meter = this.#meter
    /** @param {any} created @param {any} self @param {any} first @param {Function} wrapper */
    const noteCreated = (created, self, first, wrapper) => {
      if (created === meter.last) return
      meter.last = created
      if (!((meter.left -= created?.byteLength) > 0)) meter.sampleCreated(created, wrapper) // also where it is not a number
    }
    for (const name of CREATORS) this.#patches.apply(Buffer, name, original => wrapNoted(original, noteCreated))
    const noteReceived = (/** @type {unknown} */ result, /** @type {any} */ stream, /** @type {any} */ chunk) => {
      if (typeof chunk === 'object' && chunk !== null && !((meter.left -= chunk.byteLength) > 0)) meter.sampleReceived(stream, chunk)
    }
    // Requests may have a push() of their own that calls the original.
    for (const { prototype } of [Readable, IncomingMessage]) {
      if (Object.hasOwn(prototype, 'push')) this.#patches.apply(prototype, 'push', original => wrapNoted(original, noteReceived))
    }
    const noteReader = guarded((/** @type {any} */ stream, /** @type {Function} */ wrapper) => this.#noteReader(stream, wrapper))
    this.#patches.apply(Readable.prototype, 'on', original => wrapNoted(original, (result, stream, event, wrapper) => {
      if (event === 'data' || event === 'readable') noteReader(stream, wrapper)
    }))
  }

  /** @param {any} created @param {Function} wrapper */
  #sampleCreated (created, wrapper) {
    if (this.#isSampling) return
    const bornMicros = this.#now()
    this.#sample(created, bornMicros, { origin: { stack: captureStack(wrapper, DEPTH), site: null }, isReceived: false, context: this.#context.current() ?? null })
  }

  /** @param {any} stream @param {any} chunk */
  #sampleReceived (stream, chunk) {
    if (this.#isSampling) return
    // Other streams pass on what was created elsewhere, and counted there.
    if (chunk === this.#meter.last || chunk.byteLength === undefined || !this.#isFromOutside(stream)) this.#meter.left = this.#nextLeft()
    else this.#sample(chunk, this.#now(), { origin: this.#readers.get(stream) ?? { stack: null, site: UNREAD }, isReceived: true, context: contextOn(stream) ?? this.#context.current() ?? null })
  }

  /** @param {any} stream @param {Function} wrapper */
  #noteReader (stream, wrapper) {
    if (this.#readersLeft <= 0 || !this.#isFromOutside(stream) || this.#readers.has(stream)) return
    this.#readersLeft--
    const stack = captureStack(wrapper, DEPTH)
    this.#readers.set(stream, { stack, site: stack === null ? UNREAD : null })
  }

  /**
   * @param {{ buffer: ArrayBufferLike, byteLength: number }} created
   * @param {number} bornMicros
   * @param {Pick<Entry, 'origin' | 'isReceived' | 'context'>} about
   */
  #sample (created, bornMicros, about) {
    this.#isSampling = true // what it creates itself does not count
    try {
      const { byteLength } = created
      this.#entries.push({
        memory: new WeakRef(created.buffer),
        bytes: byteLength / (1 - Math.exp(-byteLength / this.#meanBytes)), // large ones are always sampled
        bornMicros,
        route: null,
        ...about
      })
      if (this.#entries.length > MAX_ENTRIES) this.#thin()
      if (++this.#sampled === MAX_PER_SECOND) {
        this.#sampled = 0
        this.#meanBytes *= 2
      }
    } finally {
      this.#meter.left = this.#nextLeft()
      this.#isSampling = false
      this.#ownMs += (this.#now() - bornMicros) / 1e3
    }
  }

  /** Whether it reads from a connection. @param {any} stream */
  #isFromOutside (stream) {
    return this.#sources.some(source => stream instanceof /** @type {any} */ (source)) || stream?.session !== undefined
  }

  #nextLeft () {
    return -Math.log(1 - Math.random()) * this.#meanBytes
  }

  /** Every second one, which then stands for two. */
  #thin () {
    this.#entries = this.#entries.filter((_, index) => index % 2 === 0)
    for (const entry of this.#entries) entry.bytes *= 2
    this.#meanBytes *= 2
  }

  #sweepLater () {
    const fromOwnMs = this.#ownMs
    this.#timer = setTimeout(guarded(() => {
      if (this.#now() >= this.#untilMicros) return this.stop()
      this.#sweep()
      if (this.#ownMs - fromOwnMs > MAX_OWN_MS) this.#meanBytes *= 2
      else if (this.#sampled < MAX_PER_SECOND / 4) this.#meanBytes = Math.max(MEAN_BYTES, this.#meanBytes / 2)
      this.#sampled = 0
      this.#readersLeft = MAX_PER_SECOND
      this.#sweepLater()
    }), SWEEP_MS).unref()
  }

  /** Forgets what was collected, and reads the stacks of what was not. */
  #sweep () {
    const fromMicros = this.#now()
    this.#isSampling = true
    try {
      this.#meter.last = null
      this.#entries = this.#entries.filter(({ memory }) => memory.deref() !== undefined)
      const unread = [...new Set(this.#entries.map(({ origin }) => origin))].filter(({ stack }) => stack !== null)
      for (const [index, site] of sitesOf(unread.map(({ stack }) => stack)).entries()) {
        unread[index].site = site
        unread[index].stack = null
      }
      this.#entries = this.#entries.filter(({ origin }) => origin.site !== null)
      for (const entry of this.#entries) {
        if (entry.context === null) continue
        entry.route = routeOf(entry.context.request)
        if (entry.bornMicros <= fromMicros - ROUTED_MICROS) entry.context = null
      }
    } finally {
      this.#isSampling = false
      this.#ownMs += (this.#now() - fromMicros) / 1e3
    }
  }
}

module.exports = { BufferSites }
