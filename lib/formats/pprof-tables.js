'use strict'

// The tables of a pprof profile: strings, functions and locations, each written once and referred to by number.

const { Function: PprofFunction, Label, Line, Location, Mapping, Profile, StringTable, ValueType } = require('pprof-format')
const { MAX_STACK_FRAMES, MAX_WRITTEN_COLUMN, placeOf } = require('./profile/frame')

/** @import { Frame } from './profile/frame' */

/** @typedef {{ id: number, caller: Caller | null }} Caller */

const MAPPING_ID = 1

class Tables {
  strings = new StringTable()
  /** @type {Location[]} */
  locations = []
  /** @type {PprofFunction[]} */
  functions = []
  /** @type {Map<string, number>} */
  #functionIds = new Map()
  /** @type {Map<string, number>} */
  #locationIds = new Map()

  /** @param {Frame} frame @param {number} line */
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

  /**
   * @template {{ frame: Frame, children: Tree[] }} Tree
   * @param {Tree} root
   * @returns {Generator<{ tree: Tree, callerIds: () => number[] }>} every tree below it; callerIds: the locations of its callers, innermost
   *   first, as many as V8 records of a stack
   */
  * stacksBelow (root) {
    /** @type {{ tree: Tree, caller: Caller | null }[]} */
    const waiting = root.children.map(tree => ({ tree, caller: null }))
    for (const { tree, caller } of waiting) {
      yield { tree, callerIds: () => idsOf(caller) }
      if (tree.children.length === 0) continue
      const below = { id: this.locationId(tree.frame, tree.frame.line), caller }
      for (const child of tree.children) waiting.push({ tree: child, caller: below })
    }
  }

  /** @param {Frame} frame */
  #functionId (frame) {
    const key = `${frame.name} ${frame.file}:${frame.line}:${frame.column}`
    const known = this.#functionIds.get(key)
    if (known !== undefined) return known
    const id = this.functions.length + 1
    const name = this.strings.dedup(nameOf(frame))
    this.#functionIds.set(key, id)
    this.functions.push(new PprofFunction({
      id, name, systemName: name, filename: this.strings.dedup(frame.file), startLine: frame.line
    }))
    return id
  }

  /** @param {string} type @param {string} unit */
  valueType (type, unit) {
    return new ValueType({ type: this.strings.dedup(type), unit: this.strings.dedup(unit) })
  }

  /**
   * @param {{ http_route?: string | null, pid?: string | null }} values  null: none, or it is not known
   * @returns {Label[]}
   */
  labels (values) {
    return Object.entries(values).flatMap(([name, value]) => {
      if (value === null) return []
      const key = this.strings.dedup(name)
      // -tagfocus=pid=1234 finds numbers only.
      return [new Label(/^\d+$/.test(value) ? { key, num: Number(value) } : { key, str: this.strings.dedup(value) })]
    })
  }

  /**
   * The profile, once everything it refers to is in the tables.
   * @param {number} startedAt  milliseconds since the epoch
   * @param {Omit<NonNullable<ConstructorParameters<typeof Profile>[0]>, 'timeNanos' | 'mapping' | 'location' | 'function' | 'stringTable'>} fields
   */
  toProfile (startedAt, fields) {
    // With these three set, `go tool pprof` does not look for a binary to read names from.
    const mapping = new Mapping({ id: MAPPING_ID, filename: this.strings.dedup('node'), hasFunctions: true, hasFilenames: true, hasLineNumbers: true })
    const timeNanos = BigInt(Math.round(startedAt * 1e3)) * 1000n
    return new Profile({ ...fields, timeNanos, mapping: [mapping], location: this.locations, function: this.functions, stringTable: this.strings })
  }
}

/**
 * pprof adds up functions of the same name: all anonymous ones would become one, and the first of every WebAssembly module, and in a bundle
 * without a map those that a minifier called alike.
 * @param {Frame} frame
 */
function nameOf (frame) {
  if (frame.origin === 'wasm') return `${frame.name} ${frame.file}`.trimEnd()
  const isShared = frame.name === '(anonymous)' || frame.column > MAX_WRITTEN_COLUMN
  return isShared && frame.file !== '' ? `${frame.name} ${placeOf(frame)}` : frame.name
}

/** @param {Caller | null} caller */
function idsOf (caller) {
  const ids = []
  for (let at = caller; at !== null && ids.length < MAX_STACK_FRAMES - 1; at = at.caller) ids.push(at.id)
  return ids
}

module.exports = { Tables }
