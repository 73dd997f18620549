'use strict'

// The tables of an OTLP profile (ProfilesDictionary), made of those of a pprof message: what profiles say is there once and referred to by
// its place. Place 0 of each is an empty entry: it means none. pprof counts from 1, so that its numbers stay what they are.

const { anyValue } = require('./any-value')
const { ProtobufWriter } = require('./protobuf-writer')

/** @import { Profile } from 'pprof-format' */
/** @import { Trace } from '../../../../types/diagnostics' */
/** @import { Attribute } from './attributes' */

// By OpenTelemetry's conventions.
const FRAME_TYPE = 'profile.frame.type'
const V8_FRAME = 'v8js'

class Dictionary {
  #message
  /** @type {Map<string, number>} */
  #strings
  /** @type {Map<string, { place: number, entry: ProtobufWriter }>} */
  #stacks = new Map()
  /** @type {Map<string, { place: number, entry: ProtobufWriter }>} */
  #attributes = new Map()
  /** @type {ProtobufWriter[]} */
  #links = []

  /** @param {Profile} message */
  constructor (message) {
    this.#message = message
    this.#strings = new Map(message.stringTable.strings.map((text, place) => [text, place]))
  }

  /** @param {string} text */
  string (text) {
    const known = this.#strings.get(text)
    if (known !== undefined) return known
    this.#strings.set(text, this.#strings.size)
    return this.#strings.size - 1
  }

  /** @param {number} place  in the pprof message */
  textAt (place) {
    return this.#message.stringTable.strings[place]
  }

  /** @param {readonly number[]} locations  innermost first */
  stack (locations) {
    return placeOf(this.#stacks, locations.join(), () => new ProtobufWriter().numbers(1, locations))
  }

  /** @param {Attribute} attribute */
  attribute ([name, value]) {
    return placeOf(this.#attributes, `${name}\0${typeof value}\0${value}`, () => new ProtobufWriter().number(1, this.string(name)).message(2, anyValue(value)))
  }

  /** @param {Trace} trace */
  link ({ traceId, spanId }) {
    this.#links.push(new ProtobufWriter().bytes(1, Buffer.from(traceId, 'hex')).bytes(2, Buffer.from(spanId, 'hex')))
    return this.#links.length
  }

  /** Once everything has its place. */
  toMessage () {
    const locations = this.#locations()
    const none = new ProtobufWriter()
    return new ProtobufWriter()
      .messages(1, [none, ...this.#message.mapping.map(({ filename }) => new ProtobufWriter().number(4, Number(filename)))])
      .messages(2, [none, ...locations])
      .messages(3, [none, ...this.#functions()])
      .messages(4, [none, ...this.#links])
      .texts(5, [...this.#strings.keys()])
      .messages(6, [none, ...entriesOf(this.#attributes)])
      .messages(7, [none, ...entriesOf(this.#stacks)])
  }

  #functions () {
    return this.#message.function.map(({ name, systemName, filename, startLine }) => new ProtobufWriter()
      .number(1, Number(name)).number(2, Number(systemName)).number(3, Number(filename)).number(4, Number(startLine)))
  }

  #locations () {
    const frameType = this.attribute([FRAME_TYPE, V8_FRAME])
    return this.#message.location.map(({ mappingId, line }) => new ProtobufWriter()
      .number(1, Number(mappingId))
      .messages(3, line.map(({ functionId, line }) => new ProtobufWriter().number(1, Number(functionId)).number(2, Number(line))))
      .numbers(4, [frameType]))
  }
}

/**
 * @param {Map<string, { place: number, entry: ProtobufWriter }>} table
 * @param {string} key
 * @param {() => ProtobufWriter} write
 */
function placeOf (table, key, write) {
  const known = table.get(key)
  if (known !== undefined) return known.place
  const place = table.size + 1
  table.set(key, { place, entry: write() })
  return place
}

/** @param {Map<string, { entry: ProtobufWriter }>} table */
function entriesOf (table) {
  return [...table.values()].map(({ entry }) => entry)
}

module.exports = { Dictionary }
