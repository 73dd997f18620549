'use strict'

// The tables of a pprof profile: strings, functions and locations, each written once and referred to by number.

const { Function: PprofFunction, Line, Location, Mapping, StringTable, ValueType } = require('pprof-format')
const { placeOf } = require('../profile/frame')

/** @import { Frame } from '../profile/frame' */

const MAPPING_ID = 1

class Tables {
  strings = new StringTable()
  /** @type {Location[]} */
  locations = []
  /** @type {PprofFunction[]} */
  functions = []
  /** @type {Map<Frame, number>} */
  #functionIds = new Map()
  /** @type {Map<string, number>} */
  #locationIds = new Map()

  /**
   * @param {Frame} frame
   * @param {number} line
   */
  locationId (frame, line) {
    const functionId = this.#functionId(frame)
    const key = `${functionId}:${line}`
    const known = this.#locationIds.get(key)
    if (known !== undefined) return known
    const id = this.locations.length + 1
    this.#locationIds.set(key, id)
    this.locations.push(new Location({ id, mappingId: MAPPING_ID, line: [new Line({ functionId, line })] }))
    return id
  }

  /** @param {Frame} frame */
  #functionId (frame) {
    const known = this.#functionIds.get(frame)
    if (known !== undefined) return known
    const id = this.functions.length + 1
    const name = this.strings.dedup(nameOf(frame))
    this.#functionIds.set(frame, id)
    this.functions.push(new PprofFunction({
      id, name, systemName: name, filename: this.strings.dedup(frame.file), startLine: frame.line
    }))
    return id
  }

  /**
   * @param {string} type
   * @param {string} unit
   */
  valueType (type, unit) {
    return new ValueType({ type: this.strings.dedup(type), unit: this.strings.dedup(unit) })
  }

  /** With these three set, `go tool pprof` does not look for a binary to read names from. */
  mapping () {
    return new Mapping({
      id: MAPPING_ID, filename: this.strings.dedup('node'), hasFunctions: true, hasFilenames: true, hasLineNumbers: true
    })
  }
}

/**
 * pprof adds up functions of the same name: all anonymous ones would become one.
 * @param {Frame} frame
 */
function nameOf (frame) {
  return frame.name === '(anonymous)' && frame.file !== '' ? `(anonymous) ${placeOf(frame)}` : frame.name
}

module.exports = { Tables }
