'use strict'

// What the detectors of growing memory have in common: which owner grows, and which limit it reaches first. Pure.

const { duration } = require('./format-text')

/** @import { Growing } from '../../../types/memory' */
/** @import { Readings } from './readings' */

const MAX_MINUTES = 24 * 60 // further ahead no slope reaches

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
  const isContainer = room !== undefined && room.basis.startsWith('memory.')
  const limit = minutesOfHeap <= minutesOfRoom ? 'its limit' : isContainer ? "the container's limit" : 'the memory of the machine'
  return { minutes, text: `${limit} in about ${duration(minutes * 60_000)}` }
}

module.exports = { growingOf, limitOf }
