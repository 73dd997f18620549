'use strict'

// Finds the surviving objects that retain the growth of the heap, ranked by how much more they retain than before, each with its retainer path, a
// confidence and the reasons for it. Two snapshots cannot distinguish a leak from a cache that is still filling.

const { classifyNodes } = require('../comparison/class-rows')
const { matchIds } = require('../comparison/match-ids')
const { findPaths, NO_EDGE } = require('../graph/distances')
const { addHoldings, attributeGrowth, Contents } = require('./growth')
const { areConnections, nameOf, ownerOfPackage, patternsOf, whatOf } = require('./naming')
const { createPlaceFinder, findOwnNodes, findScriptNames, isOwnFile } = require('./places')
const { findPath, isOfApplication, largestVariable, readable, signatureOf, stepOf } = require('./retainer-path')
const { groupBy, sum } = require('../../base/sums')

/** @import { Analysis } from '../comparison/load-snapshots' */
/** @import { Baseline } from '../comparison/baseline' */
/** @import { Attribution, Growth, Holding, NewFunctions } from './growth' */
/** @import { Place, Step } from './retainer-path' */

const MIN_SHARE = 0.1 // of the heap's growth
const MIN_BYTES = 1e6 // or as much as this, whatever the share
const MAX_SUSPECTS = 10
const MAX_MEMBERS = 1000 // of a group, whose contents are counted
const MAX_PATHS = 100

// Of the confidence: chosen on applications that leak and others that only warm up (test/heap/suspects.slow.test.js); below them growth is what
// every process shows.
const DOUBTED_BYTES = 256 * 1024
const DOUBTED_SHARE = 0.25 // of the heap's growth
const MUCH_BYTES = 4e6 // or as much as this, whatever the share
const MIN_OBJECTS = 20 // fewer new objects are a few large ones: a buffer, a file
const MIN_AGAIN = 0.25 // of what it grew between the first two snapshots, between the next two

/**
 * @typedef {object} Suspect
 * @property {string} name         of the variable or property that holds it; of its class where there is none
 * @property {string} className
 * @property {Place | null} place  nearest function or constructor of the application on its path; else where its new
 *   functions are made
 * @property {number} objects      how many objects like it grew; all stand for one line of code
 * @property {number} growthBytes
 * @property {number} keptBytes    what it keeps now
 * @property {number} share        0 to 1, of all that grew
 * @property {Holding[]} holds     what it gained, the most bytes first
 * @property {NewFunctions[]} functions  what it gained of them, the most first
 * @property {number} newObjects
 * @property {readonly Step[]} path
 * @property {string} signature    the same for the same place in the code, in every run
 * @property {string | null} what  what it is, in a developer's words; null: not recognized
 * @property {string[]} patterns   what this kind of growth usually is
 * @property {'high' | 'medium' | 'low'} confidence
 * @property {string[]} reasons    for the confidence
 *
 * @typedef {{ suspects: Suspect[], growthBytes: number, codeGrowthBytes: number }} Suspicion  the most growth first, the doubtful ones last
 * @typedef {Omit<Suspect, 'share' | 'confidence' | 'reasons'> & { bytes: number[] }} Description
 * @typedef {ReturnType<typeof createReader>} Reader
 */

/**
 * @param {readonly Baseline[]} earlier  one or two snapshots, the older first
 * @param {Analysis} latest
 * @param {Baseline} newest  of the latest
 * @returns {Suspicion}
 */
function findSuspects (earlier, latest, newest) {
  const attribution = attributeGrowth([...earlier, newest])
  const codeGrowthBytes = growthOf(attribution.codeBytes)
  const growthBytes = newest.heapBytes - earlier[0].heapBytes
  // What shrank meanwhile does not make a share of more than all.
  const grownBytes = Math.max(growthBytes, sumOf(attribution.growths) + Math.max(0, codeGrowthBytes))
  const reader = createReader(earlier[0], latest, newest, attribution)
  const suspects = mergeAlike(candidates(attribution, reader, growthBytes).map(members => describe(members, reader)))
    .map(suspect => judge({ ...suspect, share: suspect.growthBytes / grownBytes }))
    .sort((a, b) => Number(a.confidence === 'low') - Number(b.confidence === 'low') || b.growthBytes - a.growthBytes)
    .slice(0, MAX_SUSPECTS)
  return { suspects, growthBytes, codeGrowthBytes }
}

/** @param {readonly number[]} bytes  in each snapshot */
function growthOf (bytes) {
  return bytes[bytes.length - 1] - bytes[0]
}

/**
 * Large ones alone; small ones of a class below a class together: a thousand sessions whose history grows are one leak.
 * @param {Attribution} attribution
 * @param {Reader} reader
 * @param {number} totalBytes
 * @returns {Growth[][]}
 */
function candidates ({ growths }, reader, totalBytes) {
  const leastBytes = Math.min(MIN_BYTES, Math.max(1, totalBytes * MIN_SHARE))
  const large = growths.filter(({ bytes }) => growthOf(bytes) >= leastBytes)
  const small = growths.filter(({ bytes }) => growthOf(bytes) < leastBytes)
  const together = [...groupBy(small, ({ position }) => reader.kindOf(position)).values()].filter(group => sumOf(group) >= leastBytes)
  return [...large.map(growth => [growth]), ...together].sort((a, b) => sumOf(b) - sumOf(a)).slice(0, MAX_PATHS)
}

/** @param {readonly Growth[]} group */
function sumOf (group) {
  return sum(group, ({ bytes }) => growthOf(bytes))
}

/** @param {Growth[]} members @param {Reader} reader @returns {Description} */
function describe (members, reader) {
  const largest = members.reduce((best, member) => growthOf(member.bytes) > growthOf(best.bytes) ? member : best)
  const path = reader.pathOf(largest.position)
  const bytes = largest.bytes.map((_, at) => sum(members, member => member.bytes[at]))
  const { requests, clientRequests, ...contents } = reader.contentsOf(members.slice(0, MAX_MEMBERS).map(({ position }) => position))
  const className = path.at(-1)?.className ?? reader.classNameOf(largest.position)
  const shown = readable(path)
  // What loopscope creates for each request or connection is held by it, not the reason.
  const place = placeOf(shown) ?? contents.functions.find(created => !isOwnFile(created.place.file))?.place ?? null
  const growth = { className, path: shown, holds: contents.holds, requests, clientRequests }
  return {
    name: areConnections(growth) ? 'open connections' : nameOf(shown, className),
    place,
    className,
    objects: members.length,
    bytes,
    growthBytes: growthOf(bytes),
    keptBytes: bytes[bytes.length - 1],
    ...contents,
    path: shown,
    signature: signatureOf(path, className),
    what: place !== null && isOwnFile(place.file) ? 'memory of loopscope itself' : whatOf(growth),
    patterns: patternsOf(growth)
  }
}

/** @param {readonly Step[]} path */
function placeOf (path) {
  const owner = ownerOfPackage(path)
  return (owner === -1 ? path : path.slice(0, owner)).findLast(({ place }) => place !== null && isOfApplication(place))?.place
}

/** Several objects that the same code holds are one suspect. @param {readonly Description[]} found */
function mergeAlike (found) {
  /** @type {Map<string, Description>} */
  const merged = new Map()
  for (const suspect of found) {
    const other = merged.get(suspect.signature)
    merged.set(suspect.signature, other === undefined ? suspect : mergeTwo(other, suspect))
  }
  return [...merged.values()]
}

/** @param {Description} one @param {Description} other @returns {Description} */
function mergeTwo (one, other) {
  const bytes = one.bytes.map((value, at) => value + other.bytes[at])
  return {
    ...one,
    bytes,
    objects: one.objects + other.objects,
    growthBytes: one.growthBytes + other.growthBytes,
    keptBytes: one.keptBytes + other.keptBytes,
    newObjects: one.newObjects + other.newObjects,
    holds: addHoldings([...one.holds, ...other.holds]),
    functions: one.functions.length > 0 ? one.functions : other.functions
  }
}

/**
 * Reads the newest snapshot by position in its dominator order.
 * @param {Baseline} oldest
 * @param {Analysis} latest
 * @param {Baseline} newest
 * @param {Attribution} attribution
 */
function createReader (oldest, latest, newest, { survivorOf }) {
  const { graph, dominators: { order, positionOf, endOf, dominatorOf } } = latest
  const { rowOfNode, rows } = classifyNodes(latest)
  const placeOf = createPlaceFinder(graph, findScriptNames(graph))
  const info = { classNameOf: (/** @type {number} */ node) => rows[rowOfNode[node]].name, placeOf }
  const { isNew } = matchIds(oldest.id, newest.id)

  // A leaked object may also lead to the culprit, on a shorter path; a path over older objects is more informative, and stays the same.
  const isOwn = findOwnNodes(graph, placeOf)
  const olderPaths = findPaths(graph, node => !isNew[positionOf[node]] && isOwn[node] === 0)
  /** @type {Uint32Array | undefined} */
  let foreignPaths
  const pathsTo = (/** @type {number} */ node) => {
    if (olderPaths[node] !== NO_EDGE) return { graph, reachedBy: olderPaths }
    foreignPaths ??= findPaths(graph, to => isOwn[to] === 0)
    return { graph, reachedBy: foreignPaths[node] === NO_EDGE ? latest.paths().reachedBy : foreignPaths }
  }

  /** @param {readonly number[]} positions */
  function contentsOf (positions) {
    const contents = new Contents({ latest, rowOfNode, rows, placeOf })
    for (const position of positions) {
      for (let at = position; at < endOf[order[position]]; at++) {
        if (isNew[at] && survivorOf[at] === position) contents.add(at)
      }
    }
    return contents.result()
  }

  /** @param {number} node */
  function pathOf (node) {
    const path = findPath(pathsTo(node), node, info)
    const variable = largestVariable(latest, node)
    return variable === null ? path : [...path, stepOf(graph, variable, info)]
  }

  return {
    classNameOf: (/** @type {number} */ position) => info.classNameOf(order[position]),
    kindOf: (/** @type {number} */ position) => `${rowOfNode[order[position]]} below ${rowOfNode[dominatorOf[order[position]]]}`,
    pathOf: (/** @type {number} */ position) => pathOf(order[position]),
    contentsOf
  }
}

/** How sure a suspicion is, and why. @param {Description & { share: number }} suspect @returns {Suspect} */
function judge ({ bytes, ...suspect }) {
  const doubts = [...doubtsOf(suspect)]
  if (doubts.length > 0) return { ...suspect, confidence: 'low', reasons: doubts }
  if (bytes.length < 3) {
    const reason = 'two snapshots cannot distinguish a leak from a cache that is still filling: take a third after as much load again, and compare all three'
    return { ...suspect, confidence: 'medium', reasons: [reason] }
  }
  const [first, then] = [bytes[1] - bytes[0], bytes[2] - bytes[1]]
  if (then < first * MIN_AGAIN) {
    return { ...suspect, confidence: 'low', reasons: ['it hardly grew between the second and the third snapshot'] }
  }
  return { ...suspect, confidence: 'high', reasons: ['it grew between the first and the second snapshot, and again up to the third'] }
}

/** @param {Omit<Description, 'bytes'> & { share: number }} suspect */
function * doubtsOf ({ growthBytes, share, newObjects, objects, className, holds, path }) {
  if (growthBytes < DOUBTED_BYTES) yield 'it grew by no more than any process does'
  if (share < DOUBTED_SHARE && growthBytes < MUCH_BYTES) yield 'most of the growth is elsewhere'
  if (newObjects + objects < MIN_OBJECTS) yield 'it gained only a few objects'
  if ((className === '(synthetic)' && !areConnections({ className, holds })) || path.length === 0) yield "it is retained by V8's own roots, perhaps only temporarily"
}

module.exports = { findSuspects }
