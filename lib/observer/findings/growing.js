'use strict'

// What the detectors of growing memory have in common: which owner grows, which limit it reaches first, and the code that allocates what stays, with
// the usual cure. Pure.

const { sum } = require('../../base/sums')
const { duration, megabytes, percent, placed, sentences } = require('../../shared/findings/format-text')
const { KEEPING_PACKAGES } = require('../../shared/heap/keeping-packages')

/** @import { AllocationSite, Growing } from '../../../types/memory' */
/** @import { Readings } from '../../shared/findings/readings' */
/** @import { FindingPlace } from '../../../types/findings' */

const MAX_MINUTES = 24 * 60 // further ahead no slope reaches
const MIN_SHARE = 0.25 // of the growth: with less it is not the reason
const MIN_FILLING_SHARE = 0.5 // of what was alive
const MIN_NATIVE_HOLDERS = 0.01 // of the growth: a formatter or an image is a hundred bytes of objects and some ten kilobytes of native memory
const MIN_HOLDERS_SHARE = 0.5 // of the objects that stay: with less, which of them hold the memory is a guess

/** By what holds the memory, as far as the stack shows it. */
const CURES = Object.freeze(/** @type {Record<string, string>} */ ({
  Map: 'a Map or an object gets entries and loses none: delete them when they are done with, or give it a limit (an LRU cache, a time to live)',
  Set: 'a Set gets values and loses none: delete them when they are done with, or give it a limit',
  Array: 'an array is only appended to: remove what has been consumed, and limit its length',
  listeners: 'listeners are added and not removed: use once(), removeListener() or { signal }, and add them outside the request',
  modules: 'a module is loaded again each time, by a changing query of import() or by deleting it from require.cache, and what was loaded before stays: read data with fs and JSON.parse(), and load code once',
  workers: 'worker threads are started and do not end: call terminate() when their work is done, or give it to a pool of a fixed size',
  timers: 'timers are started and never end: clear them when their work is over, and give intervals an end',
  handles: 'a port, a watcher or a connection lives until it is closed, with its listeners and all that they refer to: call close() when its work is done',
  'object URLs': 'URL.createObjectURL() keeps the Blob until URL.revokeObjectURL() is called: revoke each when it has been used',
  'performance entries': 'performance.mark() and measure() keep each entry in the process: call clearMarks() and clearMeasures() with its name, or measure with performance.now()',
  promises: 'promises stay pending and keep what follows them: give what they wait for a timeout, and reject them when it is closed',
  'zlib streams': 'compressors are not closed: end them, call destroy() on errors, and connect streams with pipeline()',
  sockets: 'connections or their requests are kept: consume or destroy every response, close sockets, and limit how many are kept',
  'write queues': 'more is written than the other end reads: wait for drain when write() returns false, and close connections whose writableLength grows',
  streams: 'data waits in streams that are not read: consume or destroy them, and wait for drain',
  'received data': 'received data is kept: consume or destroy every response, limit the size of bodies, process them as a stream, and do not keep them after the response',
  ...Object.fromEntries(KEEPING_PACKAGES.map(({ holder, cure }) => [holder, cure])),
  FinalizationRegistry: 'the held value of a FinalizationRegistry refers to the object, which is therefore never collected: hold only what the cleanup needs',
  'linked list': 'each new object refers to the one before it, perhaps over a variable of a function: cut the list, and set variables to null that are no longer needed',
  fs: 'contents of files are kept: limit what is cached by bytes, or read them as a stream'
}))

/**
 * @param {Readings} readings
 * @param {...Growing['owner']} owners
 * @returns {Growing | null} the fastest
 */
function growingOf ({ memory }, ...owners) {
  return memory?.growing.find(({ owner }) => owners.includes(owner)) ?? null
}

/**
 * @param {Readings} readings
 * @param {number} bytesPerMinute
 * @param {number} [minutesOfHeap]  until the heap reaches V8's limit
 * @returns {{ minutes: number, text: string } | null} null: not within a day
 */
function limitOf ({ memory }, bytesPerMinute, minutesOfHeap = Infinity) {
  const room = memory?.room
  const minutesOfRoom = room === undefined ? Infinity : room.freeBytes / bytesPerMinute
  const minutes = Math.min(minutesOfHeap, minutesOfRoom)
  if (!(minutes <= MAX_MINUTES)) return null
  const limit = minutesOfHeap <= minutesOfRoom ? 'its limit' : room?.isContainer ? "the container's limit" : 'the memory of the machine'
  return { minutes, text: `${limit} in about ${duration(minutes * 60_000)}` }
}

/**
 * @typedef {object} Keeping
 * @property {FindingPlace} where
 * @property {string} title  to be appended to the title
 * @property {string} what  a sentence
 * @property {string | null} instead
 * @property {Record<string, number | string | null>} evidence
 */

/**
 * @param {{ memory: Pick<NonNullable<Readings['memory']>, 'sites'> | null }} readings
 * @param {Pick<Growing, 'owner' | 'name' | 'bytesPerMinute'> | null} growing
 * @returns {Keeping | null} null: not sampled, or what stays is not allocated by one site
 */
function keepingSiteOf ({ memory }, growing) {
  const sites = memory?.sites ?? null
  if (sites === null || growing === null) return null
  const { owner, name } = growing
  const ms = sites.toMs - sites.fromMs
  const meant = sites.sites.filter(site => isOf(site, owner, name))
  // A worker that runs is alive, whatever its age: few of its objects are sampled, too few to judge that.
  if (owner === 'worker' && name === null) return mostThatIsAlive(sites, meant)
  const own = mostThatStays(meant)
  // What V8 and Node.js make themselves, such as the texts of headers, is held by other objects.
  const made = own !== null && own.site.file === '' ? mostThatStays(meant.filter(({ file, holder }) => file !== '' && holder !== null)) : null
  // Native memory is not sampled: the objects and Buffers that belong to it are only a small part of it.
  if (own !== null && (owner === 'native' || own.site.bytesPerMinute >= growing.bytesPerMinute * MIN_SHARE)) {
    return made === null ? describe(own.site, { share: own.share, isJudged: true, ms }) : describe(made.site, { share: made.share, isJudged: true, ms, made: own.share })
  }
  if (owner === 'heap' || owner === 'worker') return mostOfMany(meant, growing, ms)
  // Typed arrays, memory of WebAssembly and native code, and received data are not sampled; the objects that they belong to are.
  const holders = mostThatStays(sites.sites.filter(site => isOf(site, 'heap', null) && site.file !== ''))
  // Native memory also grows without any object.
  const areEnough = owner !== 'native' || (growing.bytesPerMinute > 0 && Number(holders?.site.bytesPerMinute) >= growing.bytesPerMinute * MIN_NATIVE_HOLDERS)
  return holders !== null && holders.share >= MIN_HOLDERS_SHARE && areEnough ? describe(holders.site, { share: holders.share, isJudged: true, ms, held: owner }) : null
}

/**
 * What a request leaves may be allocated at many places, as its own objects and those of its response are: where one line only is known to keep some of it,
 * and it all stays.
 * @param {AllocationSite[]} sites
 * @param {Pick<Growing, 'owner' | 'bytesPerMinute'>} growing
 * @param {number} ms
 * @returns {Keeping | null}
 */
function mostOfMany (sites, { owner, bytesPerMinute }, ms) {
  const stays = sites.filter(({ verdict }) => verdict === 'stays')
  const all = sum(stays, site => site.bytesPerMinute)
  const most = mostThatStays(stays.filter(({ keptAt }) => keptAt !== null && keptAt.isGuess !== true))
  const lines = new Set(stays.flatMap(({ keptAt }) => keptAt === null || keptAt.isGuess ? [] : [`${keptAt.file}:${keptAt.line}`]))
  if (most === null || lines.size > 1 || all < bytesPerMinute * MIN_HOLDERS_SHARE) return null
  return describe(most.site, { share: most.site.bytesPerMinute / all, isJudged: true, ms, held: owner })
}

/** @param {AllocationSite[]} sites */
function mostThatStays (sites) {
  const stays = sites.filter(({ verdict }) => verdict === 'stays').sort((left, right) => right.bytesPerMinute - left.bytesPerMinute)
  return stays.length === 0 ? null : { site: stays[0], share: stays[0].bytesPerMinute / sum(stays, ({ bytesPerMinute }) => bytesPerMinute) }
}

/**
 * The same of memory that has filled so fast that no age could be judged: the site of most of what was alive.
 * @param {import('../../../types/memory').AllocationSites | null} sites
 * @param {Pick<Growing, 'owner' | 'name'>} filled
 * @returns {Keeping | null}
 */
function fillingSiteOf (sites, { owner, name }) {
  return sites === null ? null : mostThatIsAlive(sites, sites.sites.filter(site => site.verdict === 'young' && isOf(site, owner, name)))
}

/**
 * @param {import('../../../types/memory').AllocationSites} sites
 * @param {AllocationSite[]} meant  of these
 * @returns {Keeping | null}
 */
function mostThatIsAlive ({ fromMs, toMs }, meant) {
  const [first] = meant.toSorted((left, right) => right.bytes - left.bytes)
  const share = first === undefined ? 0 : first.bytes / sum(meant, ({ bytes }) => bytes)
  const ms = toMs - fromMs
  return share < MIN_FILLING_SHARE ? null : describe({ ...first, bytesPerMinute: Math.round(first.bytes / ms * 60_000) }, { share, isJudged: false, ms })
}

/**
 * @param {AllocationSite} site
 * @param {{ share: number, isJudged: boolean, ms: number, made?: number, held?: Growing['owner'] }} about  held: what the objects of the site
 *   hold; made: the share that V8 and Node.js have made themselves, which they probably hold
 * @returns {Keeping}
 */
function describe (site, { share, isJudged, ms, made, held }) {
  const { caller, through, route, holder, keptAt, bytesPerMinute, bytesPerRequest, function: fn, file, line, column } = site
  const called = `${placed(site)}${caller === null ? '' : `, called from ${placed(caller)}`}${through === null ? '' : `, through ${through}`}${holder === null ? '' : ` (${holder})`}`
  const pace = bytesPerRequest === null || route === null ? `${amount(bytesPerMinute)} a minute` : `every request of ${route} leaves ${amount(bytesPerRequest)}`
  const what = site.kind === 'buffers' ? 'Buffers' : 'objects'
  const isGuess = keptAt?.isGuess === true
  const place = keptAt === null || isGuess ? { file, line, column } : { file: keptAt.file, line: keptAt.line, column: 1 }
  const kept = keptAt && `${isGuess ? 'perhaps' : 'probably'} kept at ${keptAt.file}:${keptAt.line}`
  return {
    where: { function: fn, ...place, via: null, route },
    title: `, ${[...(kept === null || isGuess ? [`allocated in ${placed(site)}`] : []), ...(kept === null ? [] : [kept])].join(', ')}${route === null ? '' : ` for ${route}`}`,
    what: sentences(
      made !== undefined && `Of the ${what} allocated in ${duration(ms)} that stay, ${percent(made)} were made by V8 or Node.js itself, as the texts of headers are.`,
      `${made === undefined ? `Of the ${what} allocated in ${duration(ms)} that ${isJudged ? 'stay' : 'were alive'}` : 'Of the others'}, ${percent(share)} come from ${called}: ${pace}${held === undefined && made === undefined ? '' : `, and with them probably ${made === undefined ? 'this memory' : 'those'}`}.`,
      keptAt && (isGuess ? `No line is known to keep them. It may be ${keptAt.text} (${keptAt.file}:${keptAt.line}).` : `What keeps them is probably ${keptAt.text} (${keptAt.file}:${keptAt.line}).`)
    ),
    instead: (holder !== null && CURES[holder]) || (keptAt !== null && !isGuess && through !== null ? `${through} keeps what it gets there: look for a limit, for what removes it, or whether this cache can be off, and call it with what has few values` : null),
    evidence: { siteBytesPerMinute: bytesPerMinute, siteBytesPerRequest: bytesPerRequest, holder }
  }
}

/** @param {AllocationSite} site @param {Growing['owner']} owner @param {string | null} name */
function isOf ({ kind, thread, holder }, owner, name) {
  if (owner === 'worker') return kind === 'heap' && (name === null ? thread === null && holder === 'workers' : thread === name)
  if (owner === 'native') return thread === null && holder === 'zlib streams'
  return thread === null && kind === (owner === 'heap' ? 'heap' : 'buffers')
}

/** @param {number} bytes */
function amount (bytes) {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(bytes < 1e4 ? 1 : 0)} kB` : megabytes(bytes)
}

module.exports = { fillingSiteOf, growingOf, keepingSiteOf, limitOf }
