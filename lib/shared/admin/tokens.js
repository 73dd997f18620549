'use strict'

// Tokens: what is a valid token, which tokens a request has, and what they permit. They are compared as digests in constant time; several can be
// valid at once, so that one can be replaced while the other still works.

const fs = require('node:fs')
const { monotonicMs } = require('../../base/monotonic')
const { readRegularText } = require('../../base/regular-file')
const { refuse } = require('../../base/validate')

/**
 * @typedef {'metrics' | 'profile' | 'dump' | 'manage'} Scope
 * @typedef {{ sha256: string, scope: Scope }} KnownToken  the digest in hexadecimal
 */

/** What a token may do. Each scope includes those before it: samples of code leak less than a heap does. @type {readonly Scope[]} */
const SCOPES = Object.freeze(['metrics', 'profile', 'dump', 'manage'])

const MIN_TOKEN_LENGTH = 32
const BOOT_TOKEN_BYTES = 24 // 32 characters of base64url
const MAX_BYTES = 1024 * 1024
const RECHECK_MS = 1000 // of the token file

// Loaded with the first token, because it takes as long as a dozen of loopscope's files.
const crypto = () => process.getBuiltinModule('node:crypto')

/** @param {string} token */
function hashToken (token) {
  return crypto().createHash('sha256').update(token).digest('hex')
}

/** A token for a process that was given none. */
function makeBootToken () {
  return crypto().randomBytes(BOOT_TOKEN_BYTES).toString('base64url')
}

/**
 * @param {string} path  of the option, for the error
 * @param {string} text  `token` or `scope:token`, separated by commas or lines
 * @returns {KnownToken[]}
 * @throws ERR_LOOPSCOPE_INVALID_OPTION
 */
function parseTokens (path, text) {
  const parts = text.split(/[,\n]/).map(part => part.trim()).filter(part => part !== '')
  return parts.map(part => {
    const [, scope = 'manage', token] = /** @type {RegExpExecArray} */ (/^(?:([a-z]+):)?(.*)$/s.exec(part))
    if (!SCOPES.includes(/** @type {Scope} */ (scope))) {
      refuse(path, `a token, or scope:token with one of the scopes ${SCOPES.join(', ')}`, `the scope ${scope}`)
    }
    // The token itself must not get into a log by way of the error.
    if (token.length < MIN_TOKEN_LENGTH) refuse(path, `at least ${MIN_TOKEN_LENGTH} characters`, `${token.length} characters`)
    return { sha256: hashToken(token), scope: /** @type {Scope} */ (scope) }
  })
}

/**
 * The token of a request: Bearer, or Basic with the token as the password, which is what a URL with user-info becomes.
 * @param {unknown} authorization  the header
 * @returns {string | null}
 */
function tokenOf (authorization) {
  if (typeof authorization !== 'string') return null
  const [, scheme = '', value = ''] = /^([A-Za-z]+) +(\S+)$/.exec(authorization) ?? []
  if (scheme.toLowerCase() === 'bearer') return value
  if (scheme.toLowerCase() !== 'basic') return null
  const pair = Buffer.from(value, 'base64').toString('utf8')
  return pair.includes(':') ? pair.slice(pair.indexOf(':') + 1) : null
}

/**
 * @param {object} parts
 * @param {readonly KnownToken[]} parts.tokens
 * @param {string | null} parts.tokenFile  read again when it changes: secrets are replaced under running processes
 * @param {(error: unknown) => void} parts.onFault
 * @param {() => number} [parts.now]
 */
function createTokens ({ tokens, tokenFile, onFault, now = monotonicMs }) {
  let checkedAt = -Infinity
  let changedAt = NaN
  /** @type {readonly KnownToken[]} */
  let ofFile = []

  function readFile () {
    if (tokenFile === null || now() - checkedAt < RECHECK_MS) return
    checkedAt = now()
    try {
      const { mtimeMs } = fs.statSync(tokenFile)
      if (mtimeMs === changedAt) return
      ofFile = parseTokens('tokenFile', readRegularText(tokenFile, { maxBytes: MAX_BYTES }))
      changedAt = mtimeMs
    } catch (error) {
      onFault(error) // the last tokens stay valid: half a second without the file must not lock out all users
    }
  }

  /** @param {string} token @returns {Scope | null} the widest that it has; null for one that is not known */
  function scopeOf (token) {
    readFile()
    const digest = Buffer.from(hashToken(token))
    // All are compared, whatever the result of the first: the duration must not reveal which one matched.
    const scopes = [...tokens, ...ofFile].map(({ sha256, scope }) => {
      return crypto().timingSafeEqual(digest, Buffer.from(sha256)) ? SCOPES.indexOf(scope) : -1
    })
    return SCOPES[Math.max(-1, ...scopes)] ?? null
  }

  return { scopeOf }
}

/** @param {Scope} granted @param {Scope} wanted */
function includesScope (granted, wanted) {
  return SCOPES.indexOf(granted) >= SCOPES.indexOf(wanted)
}

module.exports = { createTokens, hashToken, includesScope, makeBootToken, parseTokens, SCOPES, tokenOf }
