'use strict'

// A heap profile as it was written: the same tree of allocations, with the places of its functions looked up. Pure, as map-profile.js.

const { mapFrame, placeOf } = require('./map-profile')

/** @import { Place } from '../../analysis/source-maps/answer' */
/** @import { SampledNode, SamplingProfile } from '../formats/profile/heap-tree' */
/** @import { LookUp } from './map-profile' */

/**
 * @param {SamplingProfile} profile
 * @returns {{ url: string, place: Place }[]} what has to be known to map it
 */
function heapPlacesOf ({ head }) {
  const nodes = [head]
  for (const { children } of nodes) for (const child of children) nodes.push(child)
  return nodes.filter(({ callFrame: { url } }) => url !== '').map(({ callFrame }) => ({ url: callFrame.url, place: placeOf(callFrame) }))
}

/**
 * @param {SamplingProfile} profile
 * @param {LookUp} lookUp
 * @returns {SamplingProfile}
 */
function mapHeapProfile ({ head, ...rest }, lookUp) {
  const mapped = mapNode(head, lookUp)
  const waiting = [mapped]
  for (const node of waiting) {
    node.children = node.children.map(child => mapNode(child, lookUp))
    for (const child of node.children) waiting.push(child)
  }
  return { ...rest, head: mapped }
}

/**
 * @param {SampledNode} node
 * @param {LookUp} lookUp
 */
function mapNode (node, lookUp) {
  return { ...node, callFrame: mapFrame(node.callFrame, lookUp) }
}

module.exports = { heapPlacesOf, mapHeapProfile }
