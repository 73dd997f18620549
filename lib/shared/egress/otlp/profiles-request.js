'use strict'

// A pprof message as an OTLP request (opentelemetry-proto 1.11: ExportProfilesServiceRequest of profiles/v1development, which is in
// development: it may change). The numbers are those of the fields in its .proto files. Pure.

const { createHash } = require('node:crypto')
const { version } = require('../../../../package.json')
const { anyValue } = require('./any-value')
const { profileAttributes, resourceAttributes, sampleAttributes } = require('./attributes')
const { Dictionary } = require('./dictionary')
const { ProtobufWriter } = require('./protobuf-writer')

/** @import { Profile, Sample, ValueType } from 'pprof-format' */
/** @import { Trace } from '../../../../types/diagnostics' */

/** @typedef {{ id: string, labels: Record<string, string>, trace: Trace | null }} Facts  id: the same when it is sent again */
/** @typedef {{ stack: number, attributes: number[], link: number, values: number[] }} PlacedSample */

const ID_BYTES = 16

/**
 * @param {Profile} message
 * @param {Facts} facts
 * @returns {Buffer}
 */
function encodeProfilesRequest (message, { id, labels, trace }) {
  const dictionary = new Dictionary(message)
  const link = trace === null ? 0 : dictionary.link(trace)
  const samples = message.sample.map(sample => placeSample(sample, dictionary, link))
  const attributes = profileAttributes(labels).map(attribute => dictionary.attribute(attribute))
  // OTLP has one profile a type of value, where pprof has one with all of them.
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
 * @param {number} what.at  which of its types of values
 * @param {PlacedSample[]} what.samples
 * @param {number[]} what.attributes
 * @param {string} what.id
 */
function writeProfile ({ message, sampleType, at, samples, attributes, id }) {
  const { timeNanos, durationNanos, periodType, period } = message
  return new ProtobufWriter()
    .message(1, writeValueType(sampleType))
    .messages(2, samples.map(sample => writeSample(sample, at)))
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

/**
 * @param {Sample} sample
 * @param {Dictionary} dictionary
 * @param {number} link
 * @returns {PlacedSample}
 */
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

/**
 * @param {PlacedSample} sample
 * @param {number} at
 */
function writeSample ({ stack, attributes, link, values }, at) {
  return new ProtobufWriter().number(1, stack).numbers(2, attributes).number(3, link).numbers(4, [values[at]])
}

/** @param {Record<string, string>} labels */
function writeResource (labels) {
  const attributes = resourceAttributes(labels)
  return new ProtobufWriter().messages(1, attributes.map(([name, value]) => new ProtobufWriter().text(1, name).message(2, anyValue(value))))
}

module.exports = { encodeProfilesRequest }
