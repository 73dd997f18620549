'use strict'

// Calls back once when a response is done, sent or not. on-finished knows every kind of response, but its listeners,
// queue and AsyncResource cost 3 to 4.5 µs a request on Node 24, a tenth of an Express hello-world and more than all else
// here; node:http's own responses always emit 'close', and listening to that costs about 1 µs.

const { ServerResponse } = require('node:http')
const onFinished = require('on-finished')

/**
 * @param {ServerResponse} response
 * @param {() => void} listener
 */
function onResponseEnd (response, listener) {
  if (emitsClose(response)) response.on('close', listener)
  else onFinished(response, listener)
}

/**
 * Frameworks change a response's prototype, subclasses (HTTP/2, simulated and serverless responses) its constructor.
 * Only a server makes sure of 'close', and only for a response that has the socket, on which node:net and node:http set
 * `server`: one that waits behind another in a pipeline has none yet.
 * @param {ServerResponse} response
 */
function emitsClose (response) {
  return response.constructor === ServerResponse && /** @type {any} */ (response).socket?.server !== undefined &&
    !response.writableEnded && !response.destroyed
}

module.exports = { onResponseEnd }
