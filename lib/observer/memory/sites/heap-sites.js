'use strict'

// Sums up sampled allocations that are alive by site: the function of the application that allocated them, the route it works for, and the interval
// in which they were allocated; and judges by their age whether a site leaks: what leaks is alive from every interval in which it was allocated; of a cache
// with a limit and of work in progress the older part is gone; a warm-up is alive from the first interval only. Pure.

const { describeFrame } = require('../../../formats/profile/frame')
const { functionKey, toProfileNode } = require('../../../formats/profile/heap-tree')
const { KEEPING_PACKAGES, packageOfPath } = require('../../../shared/heap/keeping-packages')
const { sum } = require('../../../base/sums')

/** @import { AllocationSite } from '../../../../types/memory' */
/** @import { CallFrame, ProfileNode } from '../../../../types/profile' */
/** @import { Frame } from '../../../formats/profile/frame' */
/** @import { SampledNode, SamplingProfile } from '../../../formats/profile/heap-tree' */

/**
 * @typedef {object} RawSite
 * @property {'heap' | 'buffers'} kind
 * @property {string | null} thread
 * @property {CallFrame[]} chain  functions of the application, innermost first; else one function
 * @property {string | null} through
 * @property {string | null} route
 * @property {string | null} holder
 * @property {PackageCall[]} calls  heaviest first
 * @property {number} bytes
 * @property {number} samples
 * @property {number[]} byBirth
 * @property {boolean} isAttributed  to code outside Node.js
 *
 * @typedef {{ caller: CallFrame, frames: CallFrame[] }} PackageCall  frames: the function of the package that a function of the application calls, and those
 *   that it calls
 *
 * @typedef {{ bytes: number, caller: CallFrame, frames: Map<string, CallFrame> }} Calls  of one function of a package by another of the application
 * @typedef {Omit<RawSite, 'calls'> & { holders: Map<string, number>, packages: Map<string | null, number>, calls: Map<string, Calls> }} Found
 */

const MIN_INTERVALS = 4 // the last one is not judged: its requests may be under way
const MIN_SAMPLES = 5
const FEW_SAMPLES = 24 // then there are only three intervals: an empty one would be chance
const FEW_INTERVALS = 3
const ONCE_SHARE = 0.8
const MIN_OLD_SHARE = 0.35 // of a leak the older half is as large as the younger one
const MIN_ALIVE_SHARE = 0.75 // of the intervals; a leak may come from a job that runs now and then

const MAX_CHAIN = 6
const MAX_CALLED = 20 // functions of a package, of each call
const MAX_CALLS = 3 // of packages, of each site
const MIN_PLACE_SHARE = 0.2
const BUILTIN = /^node:(?:internal\/)?([\w-]+)/

/** @typedef {[name: RegExp, file: RegExp, holder: string]} HolderRow */

/** @type {(isCaller: boolean) => HolderRow[]} */
const packageRows = isCaller => KEEPING_PACKAGES.filter(row => row.isCaller === isCaller).map(({ name = /./, file, holder }) => [name, file, holder])

// What the functions that are called say about what was allocated: those of V8, of Node.js, and of packages that keep what they are given.
const HOLDERS = Object.freeze(/** @type {HolderRow[]} */ ([
  ...packageRows(false),
  [/^(set|Map)$/, /^$/, 'Map'],
  [/^(add|Set)$/, /^$/, 'Set'],
  [/^(push|unshift|splice|concat)$/, /^$/, 'Array'],
  [/^(_addListener|addListener|on|once|_onceWrap|prependListener)$/, /^node:events/, 'listeners'],
  [/./, /^node:internal\/modules\//, 'modules'],
  [/./, /^node:internal\/(?:worker\/io|per_context\/messageport)/, 'handles'],
  [/./, /^node:internal\/worker$/, 'workers'],
  [/./, /^node:(?:internal\/perf\/|perf_hooks)/, 'performance entries'],
  [/./, /^node:(internal\/)?timers/, 'timers'],
  [/^(then|Promise|catch|finally|promiseInitHook\w*)$/, /^(node:internal\/(promise|async)\S*)?$/, 'promises'],
  [/./, /^node:(internal\/)?zlib/, 'zlib streams'],
  [/./, /^node:(_http|net|_tls|internal\/(net|tls|stream_base_commons|http2))/, 'sockets'],
  [/./, /^node:(internal\/streams|stream|_stream)/, 'streams']
]))
// What waits in the queue of a stream, whatever it is a stream to.
const WRITES = Object.freeze(/** @type {HolderRow[]} */ ([[/^(?:\w+\.)?(?:write|_write|writeOrBuffer)$/, /^node:(internal\/streams\/writable|_stream_writable)/, 'write queues']]))
// What calls the application's function keeps its result.
const CALLERS = Object.freeze(packageRows(true))
const MIN_HOLDER_SHARE = 0.02 // what refers to the data is small
// These are the data themselves: every handler allocates a little of its connection.
const ARE_DATA = new Set(['sockets', 'streams', 'zlib streams'])
const MIN_DATA_SHARE = 0.3

/**
 * @param {SamplingProfile} profile
 * @param {object} context
 * @param {readonly number[]} context.boundaries  the last ordinals of the intervals but for the last one
 * @param {readonly number[]} context.intervals  their seconds
 * @param {(nodes: ProfileNode[]) => Map<number, string>} context.routesOf
 * @param {string} context.appRoot
 * @param {string | null} [context.thread]
 * @returns {RawSite[]}
 */
function heapSitesOf (profile, { boundaries, intervals, routesOf, appRoot, thread = null }) {
  const { nodes, parents } = flatten(profile.head)
  const routes = routesOf([...nodes.values()].map(toProfileNode))
  /** @type {Map<SampledNode, Frame>} */
  const frames = new Map()
  const frameOf = (/** @type {SampledNode} */ node) => {
    const frame = frames.get(node) ?? describeFrame(node.callFrame, { appRoot })
    frames.set(node, frame)
    return frame
  }
  /** @type {Map<string, Found>} */
  const sites = new Map()
  for (const { nodeId, size = 0, ordinal } of profile.samples) {
    const leaf = nodes.get(nodeId)
    if (leaf === undefined) continue
    const { chain, through, below, above } = placeOf(stackOf(leaf, parents), frameOf)
    const route = routes.get(nodeId) ?? null
    const key = [...chain.map(({ callFrame }) => functionKey(callFrame)), route].join('\0')
    const known = sites.get(key) ?? {
      kind: 'heap',
      thread,
      chain: chain.map(({ callFrame }) => callFrame),
      through: null,
      route,
      holder: null,
      bytes: 0,
      samples: 0,
      byBirth: new Array(boundaries.length + 1).fill(0),
      isAttributed: isOutsideNode(frameOf(chain[0])),
      holders: new Map(),
      packages: new Map(),
      calls: new Map()
    }
    sites.set(key, known)
    known.bytes += size
    known.samples++
    known.packages.set(through, (known.packages.get(through) ?? 0) + size)
    known.byBirth[boundaries.filter(boundary => boundary < ordinal).length] += size
    noteCalls(known.calls, chain[0], below.filter(node => frameOf(node).origin === 'dependency'), size)
    const holder = holderOf(CALLERS, above) ?? holderOf(WRITES, below) ?? holderOf(HOLDERS, isOfPackage(frameOf(chain[0])) ? [...below, chain[0]] : below)
    if (holder !== null) known.holders.set(holder, (known.holders.get(holder) ?? 0) + size)
  }
  const joined = joinInlined([...sites.values()], intervals)
  return joined.map(({ holders, packages, calls, ...site }) => {
    const heaviest = [...calls.values()].filter(({ bytes }) => bytes >= site.bytes * MIN_HOLDER_SHARE).sort((left, right) => right.bytes - left.bytes)
    const shown = heaviest.slice(0, MAX_CALLS).map(({ caller, frames }) => ({ caller, frames: [...frames.values()] }))
    return { ...site, through: mostOf(packages), holder: biggest(holders, site.bytes), calls: shown }
  })
}

/** @param {Found['calls']} calls @param {SampledNode} caller @param {SampledNode[]} nodes  of packages, innermost first @param {number} bytes */
function noteCalls (calls, { callFrame: caller }, nodes, bytes) {
  const [entry] = nodes.slice(-1)
  if (entry === undefined) return
  const key = `${functionKey(caller)} ${functionKey(entry.callFrame)}`
  const known = calls.get(key) ?? { bytes: 0, caller, frames: new Map() }
  calls.set(key, known)
  known.bytes += bytes
  for (const { callFrame } of nodes.toReversed()) if (known.frames.size < MAX_CALLED) known.frames.set(functionKey(callFrame), callFrame)
}

/**
 * V8 inlines a function into its caller at some time, and its allocations are the caller's from then on: where both together stay, they are one site.
 * @param {Found[]} sites
 * @param {readonly number[]} intervals
 * @returns {Found[]}
 */
function joinInlined (sites, intervals) {
  const left = new Set(sites)
  for (const outer of sites.toSorted((one, other) => one.chain.length - other.chain.length)) {
    const inner = [...left].filter(site => site !== outer && site.route === outer.route && isInlined(site.chain, outer.chain))
    if (inner.length === 0 || !left.has(outer)) continue
    const joined = [outer, ...inner].reduce(add, { ...outer, bytes: 0, samples: 0, byBirth: outer.byBirth.map(() => 0), holders: new Map(), packages: new Map(), calls: new Map() })
    if (judgeSurvival(joined.byBirth, intervals, joined.samples) !== 'stays') continue
    const [place = outer] = inner.filter(({ bytes }) => bytes >= joined.bytes * MIN_PLACE_SHARE).sort((one, other) => other.bytes - one.bytes)
    Object.assign(outer, joined, { chain: place.chain, packages: place.packages, isAttributed: place.isAttributed })
    for (const site of inner) left.delete(site)
  }
  return [...left]
}

/**
 * @param {CallFrame[]} chain
 * @param {CallFrame[]} shorter
 * @returns {boolean} whether it is the same without some functions that are called
 */
function isInlined (chain, shorter) {
  const keys = shorter.map(functionKey)
  let at = keys.length - 1
  if (functionKey(chain[chain.length - 1]) !== keys[at]) return false
  for (const frame of chain.toReversed()) if (at >= 0 && functionKey(frame) === keys[at]) at--
  return at < 0
}

/** @param {Found} sum @param {Found} site @returns {Found} */
function add (sum, site) {
  for (const [key, calls] of site.calls) sum.calls.set(key, { ...calls, bytes: calls.bytes + (sum.calls.get(key)?.bytes ?? 0) })
  for (const [holder, bytes] of site.holders) sum.holders.set(holder, (sum.holders.get(holder) ?? 0) + bytes)
  return { ...sum, bytes: sum.bytes + site.bytes, samples: sum.samples + site.samples, byBirth: sum.byBirth.map((bytes, index) => bytes + site.byBirth[index]) }
}

/**
 * @param {SampledNode[]} stack  innermost first
 * @param {(node: SampledNode) => Frame} frameOf
 * @returns {{ chain: SampledNode[], through: string | null, below: SampledNode[], above: SampledNode[] }} below: what it called; above: what called it;
 *   innermost first
 */
function placeOf (stack, frameOf) {
  const ofApp = stack.filter(node => frameOf(node).origin === 'app')
  const own = ofApp.filter((node, index) => (index === 0 || !isModule(node)) && (index === 0 || functionKey(node.callFrame) !== functionKey(ofApp[index - 1].callFrame)))
  const first = stack.findIndex(node => isOutsideNode(frameOf(node)))
  const at = own.length > 0 ? stack.indexOf(own[0]) : Math.max(first, 0)
  const through = first !== -1 && first < at ? packageOf(stack[first].callFrame.url) : null
  return { chain: own.length > 0 ? own.slice(0, MAX_CHAIN) : [stack[at]], through, below: stack.slice(0, at), above: stack.slice(at + 1) }
}

/** The code of a file itself, which only loads things. @param {SampledNode} node */
function isModule ({ callFrame: { functionName, lineNumber, columnNumber } }) {
  return functionName === '' && lineNumber === 0 && columnNumber === 0
}

/** @param {Frame} frame */
function isOutsideNode ({ origin }) {
  return origin === 'app' || origin === 'dependency' || origin === 'wasm'
}

/** @param {Frame} frame */
function isOfPackage ({ origin }) {
  return origin === 'dependency'
}

/** @param {string} url */
function packageOf (url) {
  return packageOfPath(url) ?? BUILTIN.exec(url)?.[0] ?? null
}

/** @param {readonly HolderRow[]} rows @param {SampledNode[]} nodes  innermost first */
function holderOf (rows, nodes) {
  for (const { callFrame: { functionName, url } } of nodes.toReversed()) {
    const row = rows.find(([name, file]) => name.test(functionName) && file.test(url))
    if (row !== undefined) return row[2]
  }
  return null
}

/** @param {string | null} holder  @returns {boolean} whether what the function returns is kept by a package that calls it */
function isKeptByCaller (holder) {
  return CALLERS.some(([,, kept]) => kept === holder)
}

/** @param {Map<string, number>} holders @param {number} bytes */
function biggest (holders, bytes) {
  const notable = [...holders].filter(([holder, held]) => held >= bytes * (ARE_DATA.has(holder) ? MIN_DATA_SHARE : MIN_HOLDER_SHARE))
  return notable.sort(([, left], [, right]) => right - left)[0]?.[0] ?? null
}

/** @param {Map<string | null, number>} packages  bytes by package; null: by none */
function mostOf (packages) {
  return [...packages].sort(([, left], [, right]) => right - left)[0]?.[0] ?? null
}

/** @param {SampledNode} head */
function flatten (head) {
  const nodes = new Map([[head.id, head]])
  /** @type {Map<number, SampledNode>} */
  const parents = new Map()
  for (const node of nodes.values()) {
    for (const child of node.children) {
      nodes.set(child.id, child)
      parents.set(child.id, node)
    }
  }
  return { nodes, parents }
}

/** @param {SampledNode} leaf @param {Map<number, SampledNode>} parents */
function stackOf (leaf, parents) {
  const stack = []
  for (let node = /** @type {SampledNode | undefined} */ (leaf); node !== undefined; node = parents.get(node.id)) stack.push(node)
  return stack
}

/**
 * @param {readonly number[]} byBirth  bytes, oldest first
 * @param {readonly number[]} intervals  seconds of each
 * @param {number} samples
 * @returns {AllocationSite['verdict']}
 */
function judgeSurvival (byBirth, intervals, samples) {
  if (byBirth.length < MIN_INTERVALS || samples < MIN_SAMPLES) return 'young'
  const judged = byBirth.slice(0, -1)
  const total = sum(judged)
  if (total === 0) return 'temporary'
  if (judged[0] >= total * ONCE_SHARE) return 'once'
  const groups = samples < FEW_SAMPLES ? inGroups(judged, FEW_INTERVALS) : judged
  const alive = groups.filter(bytes => bytes > 0).length
  if (alive < groups.length * MIN_ALIVE_SHARE) return 'temporary'
  const half = Math.floor(judged.length / 2)
  const perSecond = (/** @type {number} */ from, /** @type {number} */ to) => sum(judged.slice(from, to)) / sum(intervals.slice(from, to))
  const [older, younger] = [perSecond(0, half), perSecond(judged.length - half, judged.length)]
  const error = (older + younger) / Math.sqrt(samples) // twice the standard error of each
  return older + error >= younger * MIN_OLD_SHARE ? 'stays' : 'temporary'
}

/** @param {readonly number[]} values @param {number} count */
function inGroups (values, count) {
  return Array.from({ length: count }, (_, index) => sum(values.slice(Math.round(index * values.length / count), Math.round((index + 1) * values.length / count))))
}

module.exports = { MIN_INTERVALS, heapSitesOf, isKeptByCaller, judgeSurvival, packageOf }
