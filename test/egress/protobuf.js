'use strict'

// Decodes protobuf by .proto files, so that what we write is read by numbers that others wrote down. Strict: a field that no file knows, or
// one of another wire type, is a fault.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')

const FIELD = /(repeated\s+)?([\w.]+)\s+(\w+)\s*=\s*(\d+)\s*;/g
const VARINTS = new Set(['int32', 'int64', 'uint32', 'uint64', 'bool'])
const LENGTH_DELIMITED = 2

/**
 * Of files without nested messages.
 * @param {string} folder
 * @returns {Map<string, Map<number, { name: string, type: string, isRepeated: boolean }>>} fields by number, of each message by its last name
 */
function readProtos (folder) {
  const texts = fs.readdirSync(folder).filter(name => name.endsWith('.proto')).map(name => fs.readFileSync(path.join(folder, name), 'utf8'))
  const text = texts.join('\n').replace(/\/\*[^]*?\*\/|\/\/.*/g, '')
  return new Map([...text.matchAll(/^message\s+(\w+)\s*\{([^]*?)^\}/gm)].map(([, message, body]) => {
    const fields = [...body.matchAll(FIELD)].map(([, repeated, type, name, number]) =>
      [Number(number), { name, type: type.split('.').at(-1), isRepeated: repeated !== undefined }])
    return [message, new Map(fields)]
  }))
}

function decode (messages, name, bytes) {
  const fields = messages.get(name)
  const message = Object.fromEntries([...fields.values()].filter(({ isRepeated }) => isRepeated).map(({ name }) => [name, []]))
  let at = 0
  const skip = length => { at += length }
  const varint = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]
      assert.ok(byte !== undefined, `${name} ends within a number`)
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const scalars = {
    fixed64: () => {
      skip(8)
      return bytes.readBigUInt64LE(at - 8)
    },
    ...Object.fromEntries([...VARINTS].map(type => [type, varint]))
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const field = fields.get(tag >> 3)
    assert.ok(field, `${name} has no field ${tag >> 3}`)
    const isDelimited = (tag & 7) === LENGTH_DELIMITED
    const end = isDelimited ? Number(varint()) + at : 0
    assert.ok(end <= bytes.length, `${name}.${field.name} is longer than what it is in`)
    const values = []
    if (field.type in scalars) {
      assert.equal(isDelimited, field.isRepeated, `${name}.${field.name} is packed`)
      do values.push(scalars[field.type]())
      while (at < end) // eslint-disable-line no-unmodified-loop-condition -- it is, by what reads
    } else {
      const part = bytes.subarray(at, end)
      skip(part.length)
      values.push(valueOf(messages, field.type, part))
    }
    if (field.isRepeated) message[field.name].push(...values)
    else message[field.name] = values[0]
  }
  return message
}

function valueOf (messages, type, bytes) {
  if (type === 'string') return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  return type === 'bytes' ? bytes : decode(messages, type, bytes)
}

module.exports = { decode, readProtos }
