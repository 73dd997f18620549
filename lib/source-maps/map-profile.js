'use strict'

// Maps a CPU or heap profile to the original source: the same tree, with the positions of its frames and of its line ticks looked up. Pure: the
// caller passes the lookup. It is done once, before a culprit is searched for and before a format sees the profile, so that all of them agree.

const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { flatten } = require('../formats/profile/nodes')

/** @import { CallFrame, CpuProfile, ProfileNode } from '../../types/profile' */
/** @import { Place, OriginalPosition } from './answer' */
/** @import { SampledNode, SamplingProfile } from '../formats/profile/heap-tree' */

/** @typedef {(url: string, place: Place) => OriginalPosition | null} LookUp */

/** @param {CpuProfile} profile @returns {{ url: string, place: Place }[]} the positions needed to map it */
function placesOf (profile) {
  return profile.nodes.filter(({ callFrame: { url } }) => url !== '').flatMap(({ callFrame, positionTicks = [] }) =>
    [placeOf(callFrame), ...positionTicks.map(({ line }) => lineOf(line))].map(place => ({ url: callFrame.url, place })))
}

/**
 * @param {CpuProfile} profile
 * @param {LookUp} lookUp
 * @returns {CpuProfile} the same object where nothing could be mapped
 */
function mapProfile (profile, lookUp) {
  let isChanged = false
  const nodes = profile.nodes.map(node => {
    const original = node.callFrame.url === '' ? null : lookUp(node.callFrame.url, placeOf(node.callFrame))
    if (original === null) return node
    isChanged = true
    return { ...node, callFrame: toOriginalFrame(node.callFrame, original), positionTicks: mapTicks(node, original, lookUp) }
  })
  return isChanged ? { ...profile, nodes } : profile
}

/** @param {CallFrame} callFrame @param {LookUp} lookUp @returns {CallFrame} */
function mapFrame (callFrame, lookUp) {
  const original = callFrame.url === '' ? null : lookUp(callFrame.url, placeOf(callFrame))
  return original === null ? callFrame : toOriginalFrame(callFrame, original)
}

/** @param {CallFrame} callFrame @param {OriginalPosition} original @returns {CallFrame} */
function toOriginalFrame (callFrame, { file, line, column, name }) {
  const isUrl = callFrame.url.startsWith('file:') && path.isAbsolute(file)
  return { ...callFrame, functionName: name, url: isUrl ? pathToFileURL(file).href : file, lineNumber: line, columnNumber: column }
}

/**
 * What V8 inlined from another file it counts under the caller, with the other file's lines: those cannot be mapped here.
 * @param {ProfileNode} node
 * @param {OriginalPosition} original  where the function begins
 * @param {LookUp} lookUp
 */
function mapTicks ({ callFrame, positionTicks }, { file, line: firstLine }, lookUp) {
  if (positionTicks === undefined) return undefined
  /** @type {Map<number, number>} */
  const ticksOf = new Map()
  for (const { line, ticks } of positionTicks) {
    const original = lookUp(callFrame.url, lineOf(line))
    if (original === null || original.file !== file || original.line < firstLine) continue
    ticksOf.set(original.line + 1, (ticksOf.get(original.line + 1) ?? 0) + ticks)
  }
  return [...ticksOf].map(([line, ticks]) => ({ line, ticks }))
}

/** @param {CallFrame} callFrame @returns {Place} */
function placeOf ({ lineNumber, columnNumber, functionName }) {
  return { line: lineNumber, column: columnNumber, name: functionName }
}

/**
 * @param {number} line  from 1
 * @returns {Place}
 */
function lineOf (line) {
  return { line: line - 1, column: null, name: '' }
}

/** @param {SamplingProfile} profile @returns {{ url: string, place: Place }[]} the positions needed to map it */
function heapPlacesOf ({ head }) {
  return flatten(head).filter(({ callFrame: { url } }) => url !== '').map(({ callFrame }) => ({ url: callFrame.url, place: placeOf(callFrame) }))
}

/** @param {SamplingProfile} profile @param {LookUp} lookUp @returns {SamplingProfile} */
function mapHeapProfile ({ head, ...rest }, lookUp) {
  const mapped = mapNode(head, lookUp)
  const waiting = [mapped]
  for (const node of waiting) {
    node.children = node.children.map(child => mapNode(child, lookUp))
    for (const child of node.children) waiting.push(child)
  }
  return { ...rest, head: mapped }
}

/** @param {SampledNode} node @param {LookUp} lookUp */
function mapNode (node, lookUp) {
  return { ...node, callFrame: mapFrame(node.callFrame, lookUp) }
}

module.exports = { heapPlacesOf, mapFrame, mapHeapProfile, mapProfile, placeOf, placesOf }
