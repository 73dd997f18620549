'use strict'

// Sends one HTTP request and returns its response. It uses node:http, which the observer has loaded for its endpoints: fetch would load another
// client of some megabytes. A connection is for one request: none stays open between two, which may be minutes apart.

const dns = require('node:dns')
const http = require('node:http')
const https = require('node:https')
const { Readable } = require('node:stream')
const { attempt, guarded } = require('../../base/guard')
const { readRegularText } = require('../../base/regular-file')

const MAX_SILENT_MS = 15_000
const MAX_MS = 60_000
const MIN_BYTES_PER_MS = 32 // a slower transfer is aborted

const QUESTION = Object.freeze({ timeout: 2000, tries: 2 })
const NOT_KNOWN = ['ENOTFOUND', 'ENODATA']

/** @typedef {(error: NodeJS.ErrnoException | null, address: any, family?: number) => void} Callback */

/**
 * @param {object} wanted
 * @param {string} wanted.method
 * @param {URL} wanted.url
 * @param {Record<string, string>} wanted.headers
 * @param {number} wanted.bytes
 * @param {() => Iterable<Uint8Array>} wanted.chunks
 * @param {AbortSignal} signal
 * @returns {Promise<{ status: number, askedMs: number | null }>} rejects without a response
 */
function sendRequest ({ method, url, headers, bytes, chunks }, signal) {
  return new Promise((resolve, reject) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(MAX_MS + Math.ceil(bytes / MIN_BYTES_PER_MS))])
    const { request } = url.protocol === 'https:' ? https : http
    const sending = request(url, {
      method,
      headers: { ...headers, 'content-length': bytes },
      agent: false,
      lookup: resolveHost,
      signal: limit,
      timeout: MAX_SILENT_MS
    })
    sending.on('timeout', guarded(() => sending.destroy(Object.assign(new Error('the server is silent'), { code: 'ETIMEDOUT' }))))
    sending.on('error', reject)
    sending.on('response', guarded(response => {
      response.on('error', reject).resume()
      response.on('end', guarded(() => {
        resolve({ status: response.statusCode ?? 0, askedMs: askedDelayMs(response.headers['retry-after']) })
        sending.destroy() // also if the server responded without reading all of it
      }))
    }))
    Readable.from(chunks()).on('error', guarded(error => sending.destroy(error))).pipe(sending)
  })
}

/**
 * @param {string | undefined} header  Retry-After: seconds, or a date
 * @param {number} [now]
 * @returns {number | null}
 */
function askedDelayMs (header, now = Date.now()) {
  if (header === undefined) return null
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}

/**
 * Resolves a host's address, for the option `lookup` of a connection. It avoids the system's resolver where possible: that one uses the thread pool,
 * which belongs to the application, and a thread cannot end while a lookup of its own runs there, so an unreachable name server would delay the exit
 * of the process. What the name server cannot resolve is still passed to the system.
 * @param {string} host
 * @param {import('node:dns').LookupOptions} options
 * @param {Callback} callback
 */
function resolveHost (host, options, callback) {
  const answer = (/** @type {{ address: string, family: number }[]} */ addresses) => {
    if (addresses.length === 0) return dns.lookup(host, options, callback)
    if (options.all) return callback(null, addresses)
    callback(null, addresses[0].address, addresses[0].family)
  }
  findAddresses(host).then(guarded(answer), error => callback(error, []))
}

/** @param {string} host @returns {Promise<{ address: string, family: number }[]>} empty: not found */
async function findAddresses (host) {
  const known = wordsOf('/etc/hosts').filter(([, ...names]) => names.includes(host))
  if (known.length > 0) return known.map(([address]) => ({ address, family: address.includes(':') ? 6 : 4 }))
  const settings = wordsOf('/etc/resolv.conf')
  if (!settings.some(([word]) => word === 'nameserver')) return []
  const resolver = new dns.promises.Resolver(QUESTION)
  const suffixes = settings.findLast(([word]) => word === 'search' || word === 'domain')?.slice(1) ?? []
  for (const name of [host, ...suffixes.map(suffix => `${host}.${suffix}`)]) {
    const addresses = await askNameServer(resolver, name)
    if (addresses.length > 0) return addresses
  }
  return []
}

/** @param {import('node:dns').promises.Resolver} resolver @param {string} name */
async function askNameServer (resolver, name) {
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const found = [
    ...four.status === 'fulfilled' ? four.value.map(address => ({ address, family: 4 })) : [],
    ...six.status === 'fulfilled' ? six.value.map(address => ({ address, family: 6 })) : []
  ]
  if (found.length === 0 && four.status === 'rejected' && !NOT_KNOWN.includes(four.reason.code)) throw four.reason
  return found
}

/** @param {string} file @returns {string[][]} the words of its lines; empty without such a file, as on Windows */
function wordsOf (file) {
  return attempt(() => readRegularText(file).split('\n').map(line => line.replace(/#.*/, '').trim().split(/\s+/)), [])
}

module.exports = { askedDelayMs, sendRequest }
