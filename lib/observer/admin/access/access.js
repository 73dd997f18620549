'use strict'

// Who may: the checks between "this route exists" and "this method is asked of it", in their order. Being on loopback is
// never proof of anything, and no header tells who the peer is.

const { createFailedAuthLimiter } = require('./failed-auth-limiter')
const { isHostAllowed, isOwnOrigin } = require('./hosts')
const { includesScope } = require('../../../shared/admin/scopes')
const { createTokens, tokenOf } = require('../../../shared/admin/tokens')

/** @import { AdminRequest, Application, Sources } from '../router' */
/** @import { Problem } from '../../../shared/admin/problem' */
/** @import { Scope } from '../../../shared/admin/scopes' */
/** @import { RefusalReason } from '../../../main/admin/request-counts' */

/** @typedef {{ can (scope: Scope): Promise<boolean> }} Grant  what the sender of a request may do */
/** @typedef {{ reason: RefusalReason, problem: Problem }} Refusal */
/** @typedef {{ grant: Grant } | Refusal} Verdict */

const CHALLENGE = Object.freeze({ 'WWW-Authenticate': 'Bearer realm="loopscope", Basic realm="loopscope", charset="UTF-8"' })
const TOKEN_REMEDY = 'Send the token of option token (LOOPSCOPE_TOKEN) as Authorization: Bearer, ' +
  'or as the password of the URL: http://x:TOKEN@host/.'

/** @type {Grant} */
const EVERYTHING = Object.freeze({ can: async () => true })

/**
 * @param {object} parts
 * @param {Application} parts.application
 * @param {Pick<Sources, 'authorize' | 'log'>} parts.sources
 * @param {() => number} [parts.now]
 */
function createAccess ({ application, sources, now }) {
  const tokens = createTokens({ ...application, now, onFault: error => sources.log.warn({ err: error }, 'the token file cannot be read') })
  const failedAuth = createFailedAuthLimiter({ now })

  /**
   * In production nothing is there before somebody has chosen who may use it.
   * @param {AdminRequest} request
   */
  function isEnabled ({ door }) {
    const { isProduction, hasAuthorize, tokens, tokenFile } = application
    return door === 'control' || !isProduction || hasAuthorize || tokens.length > 0 || tokenFile !== null
  }

  /**
   * @param {AdminRequest} request
   * @returns {Refusal | null} null: it came the right way
   */
  function checkOrigin (request) {
    if (!isHostAllowed(request.headers.host, application.hosts)) {
      return refusal('host', 403, 'The Host header names a host that is not ours.',
        'Use an IP address or localhost, or add the name to option admin.hosts.')
    }
    if (!isOwnOrigin(request.headers, request)) {
      return refusal('origin', 403, 'The request comes from a page of another origin.', 'Open the page of this server itself.')
    }
    return null
  }

  /**
   * @param {AdminRequest} request
   * @returns {Verdict}
   */
  function authenticate (request) {
    // Its file can be opened by this user only.
    if (request.door === 'control') return { grant: EVERYTHING }
    const token = tokenOf(request.headers.authorization)
    if (token === null) return withoutToken(request)
    const granted = tokens.scopeOf(token)
    if (granted !== null) return { grant: { can: async scope => includesScope(granted, scope) } }
    if (application.hasAuthorize) return withoutToken(request)
    const peer = request.peer ?? request.door
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

module.exports = { createAccess }
