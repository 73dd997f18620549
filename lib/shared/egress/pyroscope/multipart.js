'use strict'

// A form of files (RFC 7578). The same parts make the same bytes: a boundary that does not occur in them is made of them.

const { createHash } = require('node:crypto')

/** @typedef {{ name: string, contentType: string, bytes: Uint8Array }} Part */

/**
 * @param {readonly Part[]} parts
 * @returns {{ contentType: string, body: Buffer }}
 */
function encodeMultipart (parts) {
  const hash = createHash('sha256')
  for (const { bytes } of parts) hash.update(bytes)
  const boundary = `loopscope-${hash.digest('hex')}`
  const body = parts.flatMap(({ name, contentType, bytes }) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\nContent-Type: ${contentType}\r\n\r\n`),
    bytes,
    Buffer.from('\r\n')
  ])
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: Buffer.concat([...body, Buffer.from(`--${boundary}--\r\n`)]) }
}

module.exports = { encodeMultipart }
