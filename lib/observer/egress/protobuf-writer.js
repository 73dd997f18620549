'use strict'

// Writes one protobuf message, field by field. As in proto3, a number that is 0 and an empty string are omitted, because they are the default.

const VARINT = 0
const EIGHT_BYTES = 1
const LENGTH_DELIMITED = 2

class ProtobufWriter {
  /** @type {number[]} */
  #bytes = []

  /**
   * @param {number} field
   * @param {number} value  an integer, at least 0
   */
  number (field, value) {
    if (value === 0) return this
    this.#varint(field << 3 | VARINT)
    this.#varint(value)
    return this
  }

  /**
   * @param {number} field
   * @param {bigint} value
   */
  fixed64 (field, value) {
    if (value === 0n) return this
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64LE(value)
    this.#varint(field << 3 | EIGHT_BYTES)
    this.#append(bytes)
    return this
  }

  /**
   * @param {number} field
   * @param {string} value
   */
  text (field, value) {
    return value === '' ? this : this.bytes(field, Buffer.from(value))
  }

  /**
   * A table: also writes empty entries.
   * @param {number} field
   * @param {readonly string[]} values
   */
  texts (field, values) {
    for (const value of values) this.bytes(field, Buffer.from(value))
    return this
  }

  /**
   * @param {number} field
   * @param {Uint8Array | readonly number[]} bytes
   */
  bytes (field, bytes) {
    this.#varint(field << 3 | LENGTH_DELIMITED)
    this.#varint(bytes.length)
    this.#append(bytes)
    return this
  }

  /**
   * @param {number} field
   * @param {readonly number[]} values  packed
   */
  numbers (field, values) {
    if (values.length === 0) return this
    const packed = new ProtobufWriter()
    for (const value of values) packed.#varint(value)
    return this.message(field, packed)
  }

  /**
   * Also writes an empty message.
   * @param {number} field
   * @param {ProtobufWriter} message
   */
  message (field, message) {
    return this.bytes(field, message.#bytes)
  }

  /**
   * @param {number} field
   * @param {readonly ProtobufWriter[]} messages
   */
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

module.exports = { ProtobufWriter }
