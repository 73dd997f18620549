'use strict'

// The table of actions that a rule can run, each named by the member that only it has. A new one is a row here, a handler in
// observer/rules/run-actions.js with a row in ACTION_HANDLERS there, a member of RuleAction (types/rules.d.ts), a row in docs/rules.md, and
// one test. Pure.

const { URL } = require('../../base/globals')
const { assertInteger, assertKnownKeys, assertOneOf, assertPlainObject, isHeader, refuse } = require('../../base/validate')
const { checkRequest } = require('../captures/kinds')

/** @import { RuleAction } from '../../../types/rules' */

/**
 * @typedef {object} ActionRow
 * @property {readonly string[] | null} options  the options it takes; null if it checks them itself
 * @property {(path: string, action: any) => void} check
 * @property {(action: any) => string} show  as text, without secrets
 *
 * @typedef {'capture' | 'push' | 'log' | 'webhook'} ActionName
 */

// Headers that Node.js sets, because they frame the message.
const OWN_HEADERS = Object.freeze(['content-length', 'content-type', 'host', 'transfer-encoding', 'connection'])

/** @type {Readonly<Record<ActionName, ActionRow>>} */
const ACTIONS = Object.freeze({
  capture: {
    options: null,
    check: checkCapture,
    show: ({ capture, ...options }) => [`capture ${capture}`, ...Object.entries(options).map(([name, value]) => `${name}=${value}`)].join(' ')
  },
  push: {
    options: [],
    check: (path, { push }) => { if (push !== true) refuse(`${path}.push`, 'true', push) },
    show: () => 'push'
  },
  log: {
    options: [],
    check: (path, { log }) => assertOneOf(`${path}.log`, log, ['info', 'warn']),
    show: ({ log }) => `log ${log}`
  },
  webhook: {
    options: ['headers', 'timeoutMs'],
    check: (path, { webhook, headers, timeoutMs }) => {
      checkUrl(`${path}.webhook`, webhook)
      if (headers !== undefined) checkHeaders(`${path}.headers`, headers)
      if (timeoutMs !== undefined) assertInteger(`${path}.timeoutMs`, timeoutMs, 100, 60_000)
    },
    show: ({ webhook }) => `webhook ${showUrl(webhook)}`
  }
})

/** @param {string} path @param {any} action */
function checkAction (path, action) {
  // The value is not shown: the address of a webhook is often a secret.
  if (action === null || typeof action !== 'object' || Array.isArray(action)) refuse(path, 'an object', typeof action)
  const names = Object.keys(ACTIONS).filter(name => Object.hasOwn(action, name))
  if (names.length !== 1) refuse(path, `an object with one of ${Object.keys(ACTIONS).join(', ')}`, Object.keys(action).join(', ') || 'none')
  const { options, check } = ACTIONS[/** @type {ActionName} */ (names[0])]
  if (options !== null) assertKnownKeys(path, action, [...names, ...options])
  check(path, action)
}

/** @param {string} path @param {any} action */
function checkCapture (path, { capture, ...options }) {
  if (options.signal !== undefined) refuse(`${path}.signal`, 'absent', 'a signal')
  try {
    checkRequest(capture, options)
  } catch (/** @type {any} */ error) {
    error.message = `${path}: ${error.message}`
    throw error
  }
}

/** @param {RuleAction} action @returns {ActionName} */
function nameOfAction (action) {
  return /** @type {ActionName} */ (Object.keys(ACTIONS).find(name => Object.hasOwn(action, name)))
}

/** @param {RuleAction} action */
function showAction (action) {
  return ACTIONS[nameOfAction(action)].show(action)
}

/**
 * The URL of a webhook. Its path, query and headers are often secrets: nothing shown or thrown contains them.
 * @param {string} path
 * @param {unknown} value
 */
function checkUrl (path, value) {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null
  const isMeant = url !== null && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === ''
  if (!isMeant) refuse(path, 'an http or https URL without user and password', typeof value === 'string' ? 'another string' : value)
}

/** @param {string} path @param {unknown} headers */
function checkHeaders (path, headers) {
  assertPlainObject(path, headers)
  for (const [name, value] of Object.entries(/** @type {object} */ (headers))) {
    if (OWN_HEADERS.includes(name.toLowerCase()) || !isHeader(name, value)) refuse(`${path}.${name}`, `a header with a text as its value, none of ${OWN_HEADERS.join(', ')}`, 'something else')
  }
}

/** @param {string} url */
function showUrl (url) {
  return new URL(url).origin
}

module.exports = { ACTIONS, checkAction, nameOfAction, showAction, showUrl }
