'use strict'

// One line in the log with the address of the admin surface and, where nobody chose a token, the one that was made for this
// process. It stands in the fragment, which browsers send to no server.

const { subscribe, unsubscribe } = require('node:diagnostics_channel')
const { guarded } = require('../internal/guard')

/** @import { Logger } from '../../types/diagnostics' */

const LISTENING = 'tracing:net.server.listen:asyncEnd'

/**
 * @param {object} parts
 * @param {Pick<Logger, 'info'>} parts.logger
 * @param {string} parts.path
 * @param {string | null} parts.token  null: somebody chose one, and knows it
 */
function createAnnouncement ({ logger, path, token }) {
  let isTold = false

  // The first server that answers HTTP is taken for the application's.
  const onListening = guarded((/** @type {any} */ { server }) => {
    const address = server?.address?.()
    if (typeof address?.port !== 'number' || server.listenerCount('request') === 0) return
    const protocol = 'setSecureContext' in server ? 'https' : 'http'
    tell(`${protocol}://${hostOf(address)}:${address.port}`, path)
  })

  /**
   * @param {string} url
   * @param {string} at
   */
  function tell (url, at) {
    stop()
    if (isTold) return
    isTold = true
    if (token === null) logger.info({ url: url + at }, `diagnostics at ${url}${at}`)
    else logger.info({ url: `${url}${at}#token=${token}` }, `diagnostics at ${url}${at}#token=${token} (a token for this process only; set option token for one of your own)`)
  }

  function stop () {
    unsubscribe(LISTENING, onListening)
  }

  return { start: () => subscribe(LISTENING, onListening), stop, tell }
}

/** @param {import('node:net').AddressInfo} address */
function hostOf ({ address, family }) {
  if (address === '::' || address === '0.0.0.0') return 'localhost'
  return family === 'IPv6' ? `[${address}]` : address
}

module.exports = { createAnnouncement }
