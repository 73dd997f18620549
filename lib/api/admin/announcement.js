'use strict'

// Logs one line with the address of the admin surface and, if no token was configured, the generated one. It is in the fragment, which
// browsers never send to a server. The address is always correct: for a mounted middleware it is available when the server begins to
// listen only in Express; elsewhere with the first request.

const { subscribe, unsubscribe } = require('node:diagnostics_channel')
const { guarded } = require('../../base/guard')
const { prefixOf } = require('./mount')

/** @import { IncomingMessage } from 'node:http' */
/** @import { Logger } from '../../../types/diagnostics' */

const LISTENING = 'tracing:net.server.listen:asyncEnd'

/**
 * @param {object} parts
 * @param {Pick<Logger, 'info'>} parts.logger
 * @param {string} parts.path
 * @param {string | null} parts.token  null: a token is configured
 * @param {string} parts.holder  of the generated token
 * @param {(url: string) => boolean} parts.isFirst  whether no other process logs it
 */
function createAnnouncement ({ logger, path, token, holder, isFirst }) {
  /** Mounted, with the address not logged yet. @type {Function | undefined} */
  let waiting
  let isTold = false

  const onListening = guarded((/** @type {any} */ { server }) => {
    if (waiting !== undefined && isAtRoot(server, waiting)) announceMount(server.address(), 'setSecureContext' in server, '')
  })

  /** @param {IncomingMessage} request  that reached the middleware */
  function see (request) {
    if (waiting !== undefined) tellSeen(request)
  }

  const tellSeen = guarded((/** @type {IncomingMessage} */ request) => {
    const socket = /** @type {any} */ (request.socket)
    const address = socket.server?.address?.() ?? { address: socket.localAddress, port: socket.localPort, family: socket.localFamily }
    const prefix = prefixOf(request)
    if (prefix !== null) announceMount(address, socket.encrypted === true, prefix)
  })

  /** @param {any} address @param {boolean} isEncrypted @param {string} prefix  path prefix of the router */
  function announceMount (address, isEncrypted, prefix) {
    if (typeof address?.port === 'number') tell(`${isEncrypted ? 'https' : 'http'}://${hostOf(address)}:${address.port}${prefix}${path}`)
  }

  /** @param {string} url */
  function tell (url) {
    stop()
    if (isTold || !isFirst(url)) return
    isTold = true
    if (token === null) return logger.info({ url }, `diagnostics at ${url}`)
    const withToken = `${url}#token=${token}`
    logger.info({ url: withToken }, `diagnostics at ${withToken} (a token for ${holder} only; set option token for one of your own)`)
  }

  /** @param {Function} middleware */
  function start (middleware) {
    waiting = middleware
    subscribe(LISTENING, onListening)
  }

  function stop () {
    waiting = undefined
    unsubscribe(LISTENING, onListening)
  }

  return { start, stop, see, tell }
}

/**
 * Whether an Express application has it at its root: read from where Express 4 and 5 store their middleware. Other code may wrap it.
 * @param {any} server
 * @param {Function} middleware
 */
function isAtRoot (server, middleware) {
  return server.listeners('request').some((/** @type {any} */ app) => {
    const layers = (app._router ?? app.router)?.stack ?? []
    const { slash = false, regexp } = layers.find((/** @type {any} */ layer) => layer.handle === middleware) ?? {}
    return slash || regexp?.fast_slash === true
  })
}

/** @param {import('node:net').AddressInfo} address */
function hostOf ({ address, family }) {
  if (address === '::' || address === '0.0.0.0') return 'localhost'
  return family === 'IPv6' ? `[${address}]` : address
}

module.exports = { createAnnouncement }
