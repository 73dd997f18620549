'use strict'

// The options of the admin surface: their defaults, their checks, and what the observer is told of them.

const { refuse } = require('../../shared/base/validate')
const { parseAddress } = require('./address')
const { parseTokens } = require('../../shared/admin/tokens')

/** @import { ResolvedOptions } from '../options/resolve-options' */

const DEFAULTS = Object.freeze({ path: '/diagnostics', listen: false, hosts: Object.freeze([]), controlSocket: true })

/**
 * @param {string} path
 * @param {unknown} value
 */
function checkMountPath (path, value) {
  const isPath = typeof value === 'string' && /^(\/[A-Za-z0-9._~-]+)+$/.test(value)
  if (value !== false && !isPath) refuse(path, 'false, or a path like /diagnostics', value)
}

/**
 * @param {string} path
 * @param {unknown} value
 */
function checkToken (path, value) {
  const list = typeof value === 'string' ? [value] : value
  if (!Array.isArray(list) || list.length === 0 || list.some(one => typeof one !== 'string' || one === '')) {
    refuse(path, 'a token, or a list of tokens', typeof value)
  }
  for (const one of /** @type {string[]} */ (list)) parseTokens(path, one)
}

/**
 * @param {string} path
 * @param {unknown} value
 */
function checkHosts (path, value) {
  const isList = Array.isArray(value) && value.every(name => typeof name === 'string' && /^[a-z0-9._-]+$/i.test(name))
  if (!isList) refuse(path, 'a list of host names without ports', value)
}

/** @param {string} text  of the environment variable */
function toListen (text) {
  const words = new Map([['true', true], ['on', true], ['false', false], ['off', false]])
  return words.get(text.toLowerCase()) ?? text
}

/**
 * @typedef {object} AdminSettings
 * @property {boolean} isProduction
 * @property {import('../../shared/admin/tokens').KnownToken[]} tokens
 * @property {string | null} tokenFile
 * @property {boolean} hasAuthorize
 * @property {string[]} hosts
 * @property {string} basePath
 * @property {import('./address').ListenAddress | null} listen
 */

/**
 * @param {ResolvedOptions} options
 * @returns {AdminSettings}
 */
function adminSettings ({ token, tokenFile, authorize, isProduction, admin, path }) {
  return {
    isProduction,
    tokens: token === undefined ? [] : [token].flat().flatMap(one => parseTokens('options.token', one)),
    tokenFile: tokenFile ?? null,
    hasAuthorize: authorize !== undefined,
    hosts: [...admin.hosts],
    basePath: path === false ? DEFAULTS.path : path,
    listen: parseAddress('options.admin.listen', admin.listen)
  }
}

/**
 * Whether an option says who may, be it nobody. Where none does, nobody may in production, and elsewhere whoever has the token that is made then.
 * @param {ResolvedOptions} options
 */
function isAccessChosen ({ token, tokenFile, authorize }) {
  return token !== undefined || (tokenFile ?? null) !== null || authorize !== undefined
}

module.exports = { DEFAULTS, adminSettings, isAccessChosen, checkHosts, checkMountPath, checkToken, toListen }
