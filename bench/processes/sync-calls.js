'use strict'

// A server that calls synchronous APIs, inside a request and outside, and times them: with the exact detector or without
// it, as its argument says.

const { AsyncLocalStorage } = require('node:async_hooks')
const crypto = require('node:crypto')
const fs = require('node:fs')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const zlib = require('node:zlib')
const express = require('express')
const { listTargets, placeOf } = require('../../lib/sync-calls/targets')
const { serveAnswers } = require('../harness/answers')
const { callsLasting, timeNs } = require('../harness/slices')
const diagnostics = require('../..')

const SLICE_MS = 20
const KEPT = 16 // results kept; a power of two
const ROUTE = '/orders/:id'

const file = path.join(os.tmpdir(), `order-${process.pid}.json`)
const order = { id: 7, name: 'order', items: ['pen', 'paper'], isPaid: true }
const json = JSON.stringify(order)
fs.writeFileSync(file, json)

// V8 may not leave a store out, so every call is made.
const numbers = new Float64Array(KEPT)
/** @type {any[]} */
const kept = new Array(KEPT).fill(null)

/**
 * One loop each, so that each is compiled for what it does. The functions are looked up for each call, as in most code.
 * @type {Record<string, (calls: number) => void>}
 */
const LOOPS = {
  'empty loop' (calls) { for (let i = 0; i < calls; i++) numbers[i % KEPT] = calls },
  'Date.now' (calls) { for (let i = 0; i < calls; i++) numbers[i % KEPT] = Date.now() },
  'new Date()' (calls) { for (let i = 0; i < calls; i++) kept[i % KEPT] = new Date() },
  'JSON.parse' (calls) { for (let i = 0; i < calls; i++) kept[i % KEPT] = JSON.parse(json) },
  'JSON.stringify' (calls) { for (let i = 0; i < calls; i++) kept[i % KEPT] = JSON.stringify(order) },
  'crypto.randomBytes' (calls) { for (let i = 0; i < calls; i++) kept[i % KEPT] = crypto.randomBytes(16) },
  'crypto.randomUUID' (calls) { for (let i = 0; i < calls; i++) kept[i % KEPT] = crypto.randomUUID() },
  'fs.existsSync' (calls) { for (let i = 0; i < calls; i++) kept[i % KEPT] = fs.existsSync(file) },
  'fs.readFileSync' (calls) { for (let i = 0; i < calls; i++) kept[i % KEPT] = fs.readFileSync(file) },
  'crypto.pbkdf2Sync' (calls) { for (let i = 0; i < calls; i++) kept[i % KEPT] = crypto.pbkdf2Sync('password', 'salt', 1, 16, 'sha256') },
  'zlib.deflateSync' (calls) { for (let i = 0; i < calls; i++) kept[i % KEPT] = zlib.deflateSync(json) }
}

/** @returns {Function[]} what stands in the places of the watched functions now */
function functionsInPlace () {
  return listTargets().map(target => {
    const { holder, name } = placeOf(target)
    return holder[name]
  })
}

/**
 * @param {import('express').Express} app
 * @returns {Promise<<T>(fn: () => T) => T>} runs a function within a request that is never answered
 */
function openRequest (app) {
  return new Promise(resolve => {
    app.get(ROUTE, () => resolve(AsyncLocalStorage.snapshot()))
    const server = app.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
      http.get({ port, path: ROUTE.replace(':id', '7') })
    })
  })
}

/** @param {string} exact  'on' or 'off' */
async function main (exact) {
  const before = functionsInPlace()
  const observed = diagnostics({ syncCalls: exact === 'on' })
  const replaced = functionsInPlace().filter((now, index) => now !== before[index]).length
  const inRequest = await openRequest(express().use(observed))
  serveAnswers({ apis: Object.keys(LOOPS), watched: before.length, replaced }, {
    calibrate: (/** @type {string} */ api) => callsLasting(LOOPS[api], SLICE_MS),
    nsPerCall (/** @type {{ api: string, calls: number, isInRequest: boolean }} */ { api, calls, isInRequest }) {
      const time = () => timeNs(LOOPS[api], calls) / calls
      return isInRequest ? inRequest(time) : time()
    },
    routes: () => observed.syncCalls().exact?.flatMap(({ routes }) => routes.map(({ route }) => route))
  })
}

main(process.argv[2])
