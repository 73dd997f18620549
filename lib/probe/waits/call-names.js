'use strict'

// The names of dependency calls: kind, operation and target, each combination once, with a number. A call is looked up by what its library reports,
// without building a string. Names are bounded, because an application may choose them: later ones are counted under `_other`.

const OTHER = '_other'
/** The operation that is the wait for a connection. */
const ACQUIRE = 'acquire'

// Of all kinds together: twelve series each in the metrics.
const MAX_NAMES = 200
const MAX_TARGETS = 50
// Of one kind, as libraries report them: several may have the same name.
const MAX_REPORTED = 1000

/** @typedef {{ kind: string, operation: string, target: string }} CallName */

class CallNames {
  /** By number. @type {CallName[]} */
  list = []
  /** @type {Map<string, number>} */
  #numbers = new Map()
  /** @type {Set<string>} */
  #targets = new Set()

  /** @param {CallName} name @returns {number} */
  admit (name) {
    const target = this.#targets.has(name.target) || this.#targets.size < MAX_TARGETS ? name.target : OTHER
    const text = `${name.kind} ${name.operation} ${target}`
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    if (this.list.length >= MAX_NAMES && name.operation !== OTHER) return this.admit({ kind: name.kind, operation: OTHER, target: OTHER })
    if (target !== OTHER) this.#targets.add(target)
    this.#numbers.set(text, this.list.length)
    return this.list.push({ ...name, target }) - 1
  }
}

/** The names of one kind, by what a library reports. */
class NamesOfKind {
  #names
  #kind
  #toTarget
  #toOperation
  /** @type {Map<unknown, Map<unknown, Map<unknown, number>>>} */
  #numbers = new Map()
  #reported = 0

  /**
   * @param {CallNames} names
   * @param {object} parts
   * @param {string} parts.kind
   * @param {(operation: any) => string} [parts.toOperation]  from what a library reports: bounded, and never a value or a statement
   * @param {(host: any, port: any) => string} [parts.toTarget]
   */
  constructor (names, { kind, toOperation = String, toTarget = toAddress }) {
    this.#names = names
    this.#kind = kind
    this.#toOperation = toOperation
    this.#toTarget = toTarget
  }

  /** @param {unknown} operation @param {unknown} host @param {unknown} [port] @returns {number} */
  numberOf (operation, host, port) {
    return this.#numbers.get(host)?.get(port)?.get(operation) ?? this.#learn(operation, host, port)
  }

  /** @param {unknown} operation @param {unknown} host @param {unknown} port */
  #learn (operation, host, port) {
    const number = this.#names.admit({ kind: this.#kind, operation: this.#toOperation(operation), target: this.#toTarget(host, port) })
    if (this.#reported < MAX_REPORTED) {
      this.#reported++
      mapIn(mapIn(this.#numbers, host), port).set(operation, number)
    }
    return number
  }
}

/** @param {Map<unknown, Map<any, any>>} map @param {unknown} key @returns {Map<any, any>} */
function mapIn (map, key) {
  const found = map.get(key) ?? new Map()
  map.set(key, found)
  return found
}

/** @param {unknown} host @param {unknown} port */
function toAddress (host, port) {
  const name = typeof host === 'string' && host !== '' ? host : OTHER
  if (port === undefined || port === null || port === '') return name
  return name.includes(':') ? `[${name}]:${port}` : `${name}:${port}`
}

module.exports = { ACQUIRE, CallNames, NamesOfKind, OTHER, toAddress }
