'use strict'

// hapi adapter. Nothing leads from a request of node:http to hapi's request, which has the route: it is taken where hapi makes it.

/** @typedef {{ raw: { req: import('node:http').IncomingMessage }, route?: { method: string, path: string, settings?: { handler?: unknown } } }} HapiRequest */

// The route of a request that hapi has not routed yet, or that none of the application's routes takes.
const SPECIAL = '_special'

const HAPI_REQUESTS = Object.freeze({
  file: /[\\/]@hapi[\\/]hapi[\\/]lib[\\/]request\.js$/,
  holderOf: (/** @type {unknown} */ exported) => exported,
  maker: 'generate',
  requestOf: (/** @type {HapiRequest | undefined} */ request) => request?.raw.req,
  framework: {
    readTemplate: (/** @type {HapiRequest} */ { route }) => route === undefined || route.method === SPECIAL ? null : route.path,
    readHandlers: (/** @type {HapiRequest} */ { route }) => [route?.settings?.handler]
  }
})

module.exports = { HAPI_REQUESTS }
