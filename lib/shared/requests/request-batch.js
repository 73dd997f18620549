'use strict'

// How the main thread hands its log of requests over: as numbers; and the status of a request whose client has gone.

/**
 * @typedef {object} RequestBatch
 * @property {string[]} routes
 * @property {Float64Array} numbers  FIELDS for each request, in the order of their ends: the index of its route, when it may have arrived, was read and
 *   ended, how long its first synchronous code ran (0: not measured), all in microseconds, and the number of its connection (0: unknown)
 * @property {number} fromMicros
 * @property {number} toMicros  all requests that ended between the two are in it
 */

const FIELDS = 6

// What nginx logs when the connection closed before the response was complete. No server sends it.
const STATUS_CLIENT_CLOSED = 499

module.exports = { FIELDS, STATUS_CLIENT_CLOSED }
