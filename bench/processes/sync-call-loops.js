'use strict'

// Loops that call one synchronous API each. The functions are looked up for each call, as in most code.

const crypto = require('node:crypto')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const zlib = require('node:zlib')

const KEPT = 16 // results kept; a power of two

const file = path.join(os.tmpdir(), `order-${process.pid}.json`)
const order = { id: 7, name: 'order', items: ['pen', 'paper'], isPaid: true }
const json = JSON.stringify(order)
fs.writeFileSync(file, json)

// V8 may not leave a store out, so every call is made.
const numbers = new Float64Array(KEPT)
/** @type {any[]} */
const kept = new Array(KEPT).fill(null)

/** One loop each, so that each is compiled for what it does. @type {Record<string, (calls: number) => void>} */
module.exports = {
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
