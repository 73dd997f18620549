'use strict'

// A value of an attribute, as OTLP writes it.

const { ProtobufWriter } = require('./protobuf-writer')

/** @param {string | number} value */
function anyValue (value) {
  return typeof value === 'number' ? new ProtobufWriter().number(3, value) : new ProtobufWriter().bytes(1, Buffer.from(value))
}

module.exports = { anyValue }
