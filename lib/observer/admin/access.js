'use strict'

// Access control of the admin surface: the checks between "this route exists" and "this method is requested", in their order. A loopback
// connection is never proof of anything, and no header proves the identity of the peer.

const net = require('node:net')
const { includesScope, createTokens, tokenOf } = require('../../shared/admin/tokens')
const { monotonicMs } = require('../../base/monotonic')

/** @import { RefusalReason } from '../counts' */
/** @import { AdminRequest, Application, Sources } from './router' */
/** @import { Problem } from '../../shared/admin/responses' */
/** @import { Scope } from '../../shared/admin/tokens' */

/** @typedef {{ can (scope: Scope): Promise<boolean> }} Grant  what the client may do */
/** @typedef {{ reason: RefusalReason, problem: Problem }} Refusal */
/** @typedef {{ grant: Grant } | Refusal} Verdict */

const CHALLENGE = Object.freeze({ 'WWW-Authenticate': 'Bearer realm="loopscope", Basic realm="loopscope", charset="UTF-8"' })
const TOKEN_REMEDY = 'Send the token of option token (LOOPSCOPE_TOKEN) as Authorization: Bearer, ' +
  'or as the password of the URL: http://x:TOKEN@host/.'

const OWN_SITES = ['same-origin', 'none']

const MAX_FAILURES = 10
const FAILURES_MS = 60_000
const MAX_PEERS = 1000 // beyond that the oldest is dropped: memory is bounded, and one peer cannot make others wait

/** @type {Grant} */
const EVERYTHING = Object.freeze({ can: async () => true })

/** @param {{ application: Application, sources: Pick<Sources, 'authorize' | 'log'>, now?: () => number }} parts */
function createAccess ({ application, sources, now }) {
  const tokens = createTokens({ ...application, now, onFault: error => sources.log.warn({ err: error }, 'the token file cannot be read') })
  const failedAuth = createFailedAuthLimiter({ now })

  /** In production it is disabled until access is configured. @param {AdminRequest} request */
  function isEnabled ({ endpoint }) {
    const { isProduction, hasAuthorize, tokens, tokenFile } = application
    return endpoint === 'control' || !isProduction || hasAuthorize || tokens.length > 0 || tokenFile !== null
  }

  /** @param {AdminRequest} request @returns {Refusal | null} null: the origin is allowed */
  function checkOrigin (request) {
    if (!isHostAllowed(request.headers.host, application.hosts)) {
      return refusal('host', 403, 'The Host header names a host that is not one of this service.',
        'Use an IP address or localhost, or add the name to option admin.hosts.')
    }
    if (!isOwnOrigin(request.headers, request)) {
      return refusal('origin', 403, 'The request comes from a page of another origin.', 'Open the page of this server itself.')
    }
    return null
  }

  /** @param {AdminRequest} request @returns {Verdict} */
  function authenticate (request) {
    // Only this user can open the socket's file.
    if (request.endpoint === 'control') return { grant: EVERYTHING }
    const token = tokenOf(request.headers.authorization)
    if (token === null) return withoutToken(request)
    const granted = tokens.scopeOf(token)
    if (granted !== null) return { grant: { can: async scope => includesScope(granted, scope) } }
    if (application.hasAuthorize) return withoutToken(request)
    const peer = request.peer ?? request.endpoint
    const waitSeconds = failedAuth.waitSeconds(peer)
    if (waitSeconds > 0) {
      return refusal('bad', 429, 'Too many wrong tokens from this address.', `Use the right one, or wait ${waitSeconds} s.`,
        { 'Retry-After': String(waitSeconds) })
    }
    failedAuth.fail(peer)
    return refusal('bad', 401, 'The token is not known.', TOKEN_REMEDY, CHALLENGE)
  }

  /** @param {AdminRequest} request */
  function withoutToken (request) {
    if (!application.hasAuthorize) return refusal('missing', 401, 'This needs a token.', TOKEN_REMEDY, CHALLENGE)
    return { grant: { can: async (/** @type {Scope} */ scope) => await sources.authorize(request, scope) === true } }
  }

  return { isEnabled, checkOrigin, authenticate }
}

/**
 * @param {RefusalReason} reason
 * @param {number} status
 * @param {string} detail
 * @param {string} remedy
 * @param {Record<string, string>} [headers]
 * @returns {Refusal}
 */
function refusal (reason, status, detail, remedy, headers) {
  return { reason, problem: { status, detail, remedy, headers } }
}

/**
 * Whether a request was meant for this process: a page of another site can make a browser send requests here, and can give its own domain
 * loopscope's address (DNS rebinding). The Host header reveals the second, and isOwnOrigin() checks what browsers send about the page.
 * @param {unknown} host  the header
 * @param {readonly string[]} allowed  names beside addresses and localhost
 */
function isHostAllowed (host, allowed) {
  if (typeof host !== 'string') return false
  const name = hostName(host)
  // net.isIP accepts no octal, no short form and no name that only resembles an address.
  return name !== null && (name === 'localhost' || net.isIP(name) !== 0 || allowed.some(one => one.toLowerCase() === name))
}

/**
 * @param {string} host  `name`, `name:port`, `[::1]:port`
 * @returns {string | null}
 */
function hostName (host) {
  const [, ipv6, name] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(host) ?? []
  return (ipv6 ?? name)?.toLowerCase() ?? null
}

/** @param {Record<string, string | string[] | undefined>} headers @param {{ isEncrypted: boolean }} request */
function isOwnOrigin ({ origin, host, 'sec-fetch-site': site }, { isEncrypted }) {
  if (site !== undefined && !OWN_SITES.includes(String(site))) return false
  if (origin === undefined) return true
  // Behind a proxy that terminates TLS the page is https and this server is not: the host must match, the scheme may be https.
  const schemes = isEncrypted ? ['https'] : ['http', 'https']
  return schemes.some(scheme => origin === `${scheme}://${host}`)
}

/**
 * Counts wrong tokens by peer: after ten in a minute, further wrong ones must wait. Behind a load balancer all clients have one address, so a
 * valid token is never counted.
 * @param {{ now?: () => number }} parts
 */
function createFailedAuthLimiter ({ now = monotonicMs }) {
  /** @type {Map<string, { count: number, since: number }>} */
  const failures = new Map()

  /** @param {string} peer */
  function recent (peer) {
    const failed = failures.get(peer)
    return failed !== undefined && now() - failed.since < FAILURES_MS ? failed : undefined
  }

  return {
    /** @param {string} peer */
    fail (peer) {
      const { count, since } = recent(peer) ?? { count: 0, since: now() }
      failures.delete(peer)
      failures.set(peer, { count: count + 1, since })
      if (failures.size > MAX_PEERS) failures.delete(/** @type {string} */ (failures.keys().next().value))
    },

    /** @param {string} peer @returns {number} seconds to wait; 0 if the peer may try once more */
    waitSeconds (peer) {
      const failed = recent(peer)
      return failed !== undefined && failed.count >= MAX_FAILURES ? Math.ceil((failed.since + FAILURES_MS - now()) / 1e3) : 0
    }
  }
}

module.exports = { createAccess }
