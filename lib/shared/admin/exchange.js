'use strict'

// Converts between node:http and the router: a request to plain data, a response to bytes. It has no knowledge of routes.

const { once } = require('node:events')
const fs = require('node:fs')
const { pipeline } = require('node:stream/promises')
const { AbortController } = require('../../base/globals')
const { guarded } = require('../../base/guard')
const { openRegularFile } = require('../../base/regular-file')
const { lengthOf, problemResponse } = require('./responses')

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { AdminRequest } from '../../observer/admin/router' */
/** @import { AdminResponse } from './responses' */

/**
 * @callback RequestHandler
 * @param {AdminRequest} request
 * @param {AbortSignal} signal  aborted when the client has left
 * @param {() => void} [onAuthorized]  called when access is granted and the work begins
 * @returns {Promise<AdminResponse>}
 */

const MAX_BODY_BYTES = 64 * 1024
// A profile may be recorded for five minutes before the response begins.
const MAX_RESPONSE_MS = 330_000

/**
 * Answers one request, whatever happens: it neither throws nor rejects.
 * @param {IncomingMessage} incoming
 * @param {ServerResponse} outgoing
 * @param {Pick<AdminRequest, 'endpoint' | 'base' | 'path' | 'query' | 'reference'>} location  where it came in, and what it is for
 * @param {RequestHandler} handle
 */
async function exchange (incoming, outgoing, location, handle) {
  const left = new AbortController()
  outgoing.once('close', guarded(() => left.abort('the client left')))
  outgoing.on('error', () => {}) // 'close' follows, and is handled
  try {
    outgoing.setTimeout(MAX_RESPONSE_MS)
    const body = await readBody(incoming)
    const response = body === 'too large'
      ? problemResponse({ status: 413, detail: `A body has at most ${MAX_BODY_BYTES} bytes.`, headers: { Connection: 'close' } })
      : await handle({ ...describe(incoming), ...location, body }, left.signal)
    await write(outgoing, response, left.signal)
  } catch {
    // The client left in the middle, or the file did: what was promised cannot be kept.
    outgoing.destroy()
  }
}

/** @param {IncomingMessage} incoming */
function describe ({ method = 'GET', headers, socket }) {
  const isEncrypted = 'encrypted' in socket && socket.encrypted === true
  return { method, headers: { ...headers }, peer: socket.remoteAddress ?? null, isEncrypted }
}

/**
 * @param {IncomingMessage & { body?: unknown }} incoming  `body`: a parser of the application was there first
 * @returns {Promise<Uint8Array | null | 'too large'>}
 */
async function readBody (incoming) {
  if (incoming.body !== undefined && incoming.readableEnded) return toBytes(incoming.body)
  if (incoming.headers['content-length'] === undefined && incoming.headers['transfer-encoding'] === undefined) return null
  const chunks = []
  let length = 0
  for await (const chunk of incoming) {
    length += chunk.length
    if (length > MAX_BODY_BYTES) return 'too large'
    chunks.push(Buffer.from(chunk))
  }
  return length === 0 ? null : Buffer.concat(chunks)
}

/** @param {unknown} parsed @returns {Uint8Array | null} */
function toBytes (parsed) {
  if (parsed instanceof Uint8Array) return parsed
  const text = typeof parsed === 'string' ? parsed : JSON.stringify(parsed)
  return text === undefined || text === '{}' ? null : Buffer.from(text)
}

/** @param {ServerResponse} outgoing @param {AdminResponse} response @param {AbortSignal} signal */
async function write (outgoing, { status, headers, body }, signal) {
  if (signal.aborted) return
  const length = lengthOf(body)
  const hasLength = length !== null && status !== 204 && status !== 304
  outgoing.writeHead(status, { ...(hasLength && { 'Content-Length': String(length) }), ...headers })
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) return outgoing.end(body ?? undefined)
  if ('file' in body) return sendFile(outgoing, body, signal)
  outgoing.flushHeaders()
  for await (const chunk of body.chunks) {
    if (signal.aborted) return
    // A client that does not read gets what happens when it reads again, not everything since.
    if (!outgoing.write(chunk)) await once(outgoing, 'drain', { signal })
  }
  outgoing.end()
}

/**
 * @param {ServerResponse} outgoing
 * @param {{ file: string, start: number, end: number }} body
 * @param {AbortSignal} signal
 */
async function sendFile (outgoing, { file, start, end }, signal) {
  if (end < start) return outgoing.end()
  await pipeline(fs.createReadStream(file, { fd: openRegularFile(file).fd, start, end }), outgoing, { signal })
}

/**
 * The target of a request in its parts, as it was sent: nothing is decoded or cleaned up, so that no two spellings of a path can mean the
 * same route.
 * @param {string} target  `/diagnostics/stalls?limit=5`
 * @param {string} base    prefix without a slash at its end, '' for none
 * @returns {{ base: string, path: string, query: string } | null} null: not below the base
 */
function splitTarget (target, base) {
  if (!target.startsWith(base)) return null
  const rest = target.slice(base.length)
  if (rest !== '' && rest[0] !== '/' && rest[0] !== '?') return null
  const mark = rest.indexOf('?')
  const path = mark === -1 ? rest : rest.slice(0, mark)
  return { base, path: path === '' ? '/' : path, query: mark === -1 ? '' : rest.slice(mark + 1) }
}

module.exports = { exchange, splitTarget }
