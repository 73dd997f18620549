'use strict'

// Converts a pprof message to an OTLP request (opentelemetry-proto 1.11: ExportProfilesServiceRequest of profiles/v1development, which may still
// change). The numbers are the field numbers in its .proto files. Pure.

const { createHash } = require('node:crypto')
const { version } = require('../../../package.json')

/** @import { Profile, Sample, ValueType } from 'pprof-format' */
/** @import { Trace } from '../../../types/diagnostics' */

/**
 * @typedef {{ id: string, labels: Record<string, string>, trace: Trace | null }} Facts  id: stays the same when it is sent again
 * @typedef {{ stack: number, attributes: number[], link: number, values: number[] }} PlacedSample
 * @typedef {[name: string, value: string | number]} Attribute
 */

const ID_BYTES = 16

// From OpenTelemetry's semantic conventions.
const FRAME_TYPE = 'profile.frame.type'
const V8_FRAME = 'v8js'

// Labels of a process and of a sample, under OpenTelemetry's names.
const OF_RESOURCE = Object.freeze({
  service: 'service.name',
  version: 'service.version',
  pid: 'process.pid',
  host: 'host.name',
  pod: 'k8s.pod.name',
  namespace: 'k8s.namespace.name'
})
// Labels of the profile rather than of the process.
const OF_PROFILE = Object.freeze({ unfinished_stall: 'loopscope.unfinished_stall' })
const OF_SAMPLE = Object.freeze({ pid: 'process.pid', thread: 'thread.name' })
// Wire types of protobuf.
const VARINT = 0
const EIGHT_BYTES = 1
const LENGTH_DELIMITED = 2

/** @param {Profile} message @param {Facts} facts @returns {Buffer} */
function encodeProfilesRequest (message, { id, labels, trace }) {
  const dictionary = new Dictionary(message)
  const link = trace === null ? 0 : dictionary.link(trace)
  const samples = message.sample.map(sample => placeSample(sample, dictionary, link))
  const attributes = profileAttributes(labels).map(attribute => dictionary.attribute(attribute))
  // OTLP has one profile per value type, pprof one with all of them.
  const profiles = message.sampleType.map((sampleType, at) => writeProfile({ message, sampleType, at, samples, attributes, id }))
  const scope = new ProtobufWriter().text(1, 'loopscope').text(2, version)
  const scopeProfiles = new ProtobufWriter().message(1, scope).messages(2, profiles)
  const resourceProfiles = new ProtobufWriter().message(1, writeResource(labels)).message(2, scopeProfiles)
  return new ProtobufWriter().message(1, resourceProfiles).message(2, dictionary.toMessage()).toBuffer()
}

/**
 * @param {object} what
 * @param {Profile} what.message
 * @param {ValueType} what.sampleType
 * @param {number} what.at  index of the value type
 * @param {PlacedSample[]} what.samples
 * @param {number[]} what.attributes
 * @param {string} what.id
 */
function writeProfile ({ message, sampleType, at, samples, attributes, id }) {
  const { timeNanos, durationNanos, periodType, period } = message
  return new ProtobufWriter()
    .message(1, writeValueType(sampleType))
    .messages(2, samples.map(sample => new ProtobufWriter().number(1, sample.stack).numbers(2, sample.attributes).number(3, sample.link).numbers(4, [sample.values[at]])))
    .fixed64(3, BigInt(timeNanos))
    .number(4, Number(durationNanos))
    .message(5, writeValueType(periodType ?? sampleType))
    .number(6, Number(period))
    .bytes(7, createHash('sha256').update(`${id} ${at}`).digest().subarray(0, ID_BYTES))
    .numbers(11, attributes)
}

/** @param {ValueType} valueType */
function writeValueType ({ type, unit }) {
  return new ProtobufWriter().number(1, Number(type)).number(2, Number(unit))
}

/** @param {Sample} sample @param {Dictionary} dictionary @param {number} link @returns {PlacedSample} */
function placeSample ({ locationId, value, label }, dictionary, link) {
  const attributes = label.flatMap(({ key, str, num }) => {
    const text = dictionary.textAt(Number(str))
    return sampleAttributes(dictionary.textAt(Number(key)), text === '' ? Number(num) : text)
  })
  return {
    stack: dictionary.stack(locationId.map(Number)),
    attributes: attributes.map(attribute => dictionary.attribute(attribute)),
    link,
    values: value.map(Number)
  }
}

/** @param {Record<string, string>} labels */
function writeResource (labels) {
  const attributes = resourceAttributes(labels)
  return new ProtobufWriter().messages(1, attributes.map(([name, value]) => new ProtobufWriter().text(1, name).message(2, anyValue(value))))
}

/**
 * The tables of an OTLP profile (ProfilesDictionary), created from those of a pprof message: each entry is stored once and referred to by index.
 * Index 0 of each is an empty entry, which means none. pprof counts from 1, so its numbers do not change.
 */
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

  /** Call it once all entries have been added. */
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

/** @param {Record<string, string>} labels @returns {Attribute[]} */
function resourceAttributes (labels) {
  const own = Object.entries(labels).filter(([name, value]) => value !== '' && !(name in OF_PROFILE))
  return [...own.map(([name, value]) => toAttribute(OF_RESOURCE, name, value)), ['process.runtime.name', 'nodejs']]
}

/** @param {Record<string, string>} labels @returns {Attribute[]} */
function profileAttributes (labels) {
  return Object.entries(labels).filter(([name]) => name in OF_PROFILE).map(([name, value]) => toAttribute(OF_PROFILE, name, value))
}

/**
 * @param {string} name  name of a pprof label
 * @param {string | number} value
 * @returns {Attribute[]}
 */
function sampleAttributes (name, value) {
  if (name !== 'http_route') return [toAttribute(OF_SAMPLE, name, value)]
  const [, method, route] = /^(\S+) (.*)$/.exec(String(value)) ?? ['', '', String(value)]
  return method === '' ? [['http.route', route]] : [['http.request.method', method], ['http.route', route]]
}

/**
 * @param {Readonly<Record<string, string>>} names
 * @param {string} name
 * @param {string | number} value
 * @returns {Attribute}
 */
function toAttribute (names, name, value) {
  return [names[name] ?? name, name === 'pid' && /^\d+$/.test(String(value)) ? Number(value) : value]
}

/** @param {string | number} value */
function anyValue (value) {
  return typeof value === 'number' ? new ProtobufWriter().number(3, value) : new ProtobufWriter().bytes(1, Buffer.from(value))
}

/** Writes one protobuf message, field by field. As in proto3, a number that is 0 and an empty string are omitted, because they are the default. */
class ProtobufWriter {
  /** @type {number[]} */
  #bytes = []

  /** @param {number} field @param {number} value  an integer, at least 0 */
  number (field, value) {
    if (value === 0) return this
    this.#varint(field << 3 | VARINT)
    this.#varint(value)
    return this
  }

  /** @param {number} field @param {bigint} value */
  fixed64 (field, value) {
    if (value === 0n) return this
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64LE(value)
    this.#varint(field << 3 | EIGHT_BYTES)
    this.#append(bytes)
    return this
  }

  /** @param {number} field @param {string} value */
  text (field, value) {
    return value === '' ? this : this.bytes(field, Buffer.from(value))
  }

  /** A table: also writes empty entries. @param {number} field @param {readonly string[]} values */
  texts (field, values) {
    for (const value of values) this.bytes(field, Buffer.from(value))
    return this
  }

  /** @param {number} field @param {Uint8Array | readonly number[]} bytes */
  bytes (field, bytes) {
    this.#varint(field << 3 | LENGTH_DELIMITED)
    this.#varint(bytes.length)
    this.#append(bytes)
    return this
  }

  /** @param {number} field @param {readonly number[]} values  packed */
  numbers (field, values) {
    if (values.length === 0) return this
    const packed = new ProtobufWriter()
    for (const value of values) packed.#varint(value)
    return this.message(field, packed)
  }

  /** Also writes an empty message. @param {number} field @param {ProtobufWriter} message */
  message (field, message) {
    return this.bytes(field, message.#bytes)
  }

  /** @param {number} field @param {readonly ProtobufWriter[]} messages */
  messages (field, messages) {
    for (const message of messages) this.message(field, message)
    return this
  }

  toBuffer () {
    return Buffer.from(this.#bytes)
  }

  /** @param {number} value  may exceed 32 bits, where bitwise operators would truncate it */
  #varint (value) {
    let rest = value
    while (rest > 0x7f) {
      this.#bytes.push(rest % 0x80 | 0x80)
      rest = Math.floor(rest / 0x80)
    }
    this.#bytes.push(rest)
  }

  /** @param {Uint8Array | readonly number[]} bytes  not spread: there may be more than a call accepts as arguments */
  #append (bytes) {
    for (let at = 0; at < bytes.length; at++) this.#bytes.push(bytes[at])
  }
}

module.exports = { encodeProfilesRequest }
