'use strict'

// The options of the admin surface: their checks, how they are read, and the observer's settings made from them.

const path = require('node:path')
const { refuse } = require('../../base/validate')
const { parseTokens } = require('../../shared/admin/tokens')

/** @import { ResolvedOptions } from './resolve-options' */

const DEFAULT_PATH = '/diagnostics'
const DEFAULT_HOST = '127.0.0.1'
const DEFAULT_PORT = 6060 // Go's convention for pprof
const MAX_PORT = 65535
const WANTED = 'true, a port, host:port with an IP address or localhost, or the path of a Unix socket'

/** @typedef {{ host: string, port: number } | { socketPath: string }} ListenAddress */

/**
 * @typedef {object} AdminSettings
 * @property {boolean} isProduction
 * @property {import('../../shared/admin/tokens').KnownToken[]} tokens
 * @property {string | null} tokenFile
 * @property {boolean} hasAuthorize
 * @property {string[]} hosts
 * @property {string} basePath
 * @property {ListenAddress | null} listen
 */

/** @param {ResolvedOptions} options @returns {AdminSettings} */
function adminSettings ({ token, tokenFile, authorize, isProduction, admin, path: mountPath }) {
  return {
    isProduction,
    tokens: token === undefined ? [] : [token].flat().flatMap(one => parseTokens('options.token', one)),
    tokenFile: tokenFile ?? null,
    hasAuthorize: authorize !== undefined,
    hosts: [...admin.hosts],
    basePath: mountPath === false ? DEFAULT_PATH : mountPath,
    listen: parseAddress('options.admin.listen', admin.listen)
  }
}

/**
 * Whether access is configured, be it to deny everyone. If not, no one has access in production, and elsewhere everyone with the generated token.
 * @param {ResolvedOptions} options
 */
function isAccessChosen ({ token, tokenFile, authorize }) {
  return token !== undefined || (tokenFile ?? null) !== null || authorize !== undefined
}

/**
 * @param {string} name  of the option, for the error
 * @param {unknown} value
 */
function checkMountPath (name, value) {
  const isPath = typeof value === 'string' && /^(\/[A-Za-z0-9._~-]+)+$/.test(value)
  if (value !== false && !isPath) refuse(name, 'false, or a path like /diagnostics', value)
}

/**
 * @param {string} name  of the option, for the error
 * @param {unknown} value
 */
function checkToken (name, value) {
  const list = typeof value === 'string' ? [value] : value
  if (!Array.isArray(list) || list.length === 0 || list.some(one => typeof one !== 'string' || one === '')) {
    refuse(name, 'a token, or a list of tokens', typeof value)
  }
  for (const one of /** @type {string[]} */ (list)) parseTokens(name, one)
}

/**
 * @param {string} name  of the option, for the error
 * @param {unknown} value
 */
function checkHosts (name, value) {
  const isList = Array.isArray(value) && value.every(host => typeof host === 'string' && /^[a-z0-9._-]+$/i.test(host))
  if (!isList) refuse(name, 'a list of host names without ports', value)
}

/**
 * @param {string} name  of the option, for the error
 * @param {unknown} value  `true`, `6060`, `'127.0.0.1:6060'`, `'[::1]:6060'`, `'/run/app.sock'`
 * @returns {ListenAddress | null} null: no listener
 * @throws ERR_LOOPSCOPE_INVALID_OPTION
 */
function parseAddress (name, value) {
  if (value === false) return null
  if (value === true) return { host: DEFAULT_HOST, port: DEFAULT_PORT }
  if (typeof value === 'number' || /^\d+$/.test(String(value))) return { host: DEFAULT_HOST, port: portOf(name, value) }
  if (typeof value !== 'string' || value === '') return refuse(name, WANTED, value)
  if (value.startsWith('/') || value.startsWith('./') || value.startsWith('\\\\.\\pipe\\')) return { socketPath: path.resolve(value) }
  const [, ipv6, plain, port] = /^(?:\[([0-9a-f:.]+)\]|([^:/[\]]+)):(\d+)$/i.exec(value) ?? []
  const host = plain === 'localhost' ? DEFAULT_HOST : ipv6 ?? plain
  if (host === undefined || process.getBuiltinModule('node:net').isIP(host) === 0) return refuse(name, WANTED, value)
  return { host, port: portOf(name, port) }
}

/** @param {string} name @param {unknown} value */
function portOf (name, value) {
  const port = Number(value)
  if (!Number.isInteger(port) || port < 0 || port > MAX_PORT) refuse(name, `a port from 0 to ${MAX_PORT}`, value)
  return port
}

/** @param {ListenAddress} address @returns {boolean} whether only this host can reach it */
function isLocal (address) {
  return 'socketPath' in address || address.host === '::1' || address.host.startsWith('127.')
}

module.exports = { DEFAULT_PATH, adminSettings, checkHosts, checkMountPath, checkToken, isAccessChosen, isLocal, parseAddress }
