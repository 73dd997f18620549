'use strict'

// Where the admin listener listens, as people write it.

const path = require('node:path')
const { refuse } = require('../../shared/base/validate')

/** @typedef {{ host: string, port: number } | { socketPath: string }} ListenAddress */

const DEFAULT_HOST = '127.0.0.1'
const DEFAULT_PORT = 6060 // Go's custom for pprof
const MAX_PORT = 65535
const WANTED = 'true, a port, host:port with an IP address or localhost, or the path of a Unix socket'

/**
 * @param {string} name   of the option, for the error
 * @param {unknown} value  `true`, `6060`, `'127.0.0.1:6060'`, `'[::1]:6060'`, `'/run/app.sock'`
 * @returns {ListenAddress | null} null: not at all
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

/**
 * @param {string} name
 * @param {unknown} value
 */
function portOf (name, value) {
  const port = Number(value)
  if (!Number.isInteger(port) || port < 0 || port > MAX_PORT) refuse(name, `a port from 0 to ${MAX_PORT}`, value)
  return port
}

/**
 * @param {ListenAddress} address
 * @returns {boolean} whether only this host can reach it
 */
function isLocal (address) {
  return 'socketPath' in address || address.host === '::1' || address.host.startsWith('127.')
}

module.exports = { parseAddress, isLocal }
