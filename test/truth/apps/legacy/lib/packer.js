'use strict'

const Transform = require('node:stream').Transform
const zlib = require('node:zlib')

function create () {
  return new Transform({
    transform: function packChunk (chunk, encoding, callback) {
      callback(null, zlib.deflateSync(chunk, { level: 9 })) // truth: zlib in a transform
    }
  })
}

module.exports = { create }
