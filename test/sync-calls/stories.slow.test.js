'use strict'

// The two sources beside each other, on applications with known synchronous calls, over HTTP.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { makeScratch } = require('../store/scratch')
const { start } = require('../stalls/started')

const SOURCES = ['exact', 'sampled']

/** Sends the requests again and again until both sources have a site for each of the APIs, and what else is wanted. */
async function load (app, requests, apis, isDone = () => true) {
  for (;;) {
    for (const [method, url] of requests) await app.get(url, { method })
    const calls = JSON.parse((await app.get('/sync-calls')).text)
    if (SOURCES.every(source => apis.every(api => topOf(calls, source, api))) && isDone(calls)) return calls
  }
}

const topOf = (calls, source, api) => calls[source].find(site => site.api === api)
const placeOf = ({ callSite }) => [callSite.function, path.basename(callSite.file)]
const routesOf = ({ routes }) => routes.map(({ route }) => route).filter(route => route !== null)

function assertAgreement (calls, expected) {
  for (const [api, place, route] of expected) {
    for (const source of SOURCES) {
      const site = topOf(calls, source, api)
      assert.deepEqual(placeOf(site), place, `${source} ${api}`)
      assert.deepEqual(routesOf(site), [route], `${source} ${api}`)
    }
  }
}

test('exact and sampled agree on the top call site of each story, and only the exact one sees Date.now', async t => {
  const app = await start(t, 'sync-stories.js')
  const apis = ['crypto.pbkdf2Sync', 'crypto.randomBytes', 'crypto.createSign().sign', 'fs.readFileSync']
  const requests = [['POST', '/auth'], ['POST', '/login'], ['GET', '/page']]
  const calls = await load(app, requests, apis, ({ exact }) => exact.find(({ api }) => api === 'Date.now')?.flagged)
  assertAgreement(calls, [
    ['crypto.pbkdf2Sync', ['checkPassword', 'sync-stories.js'], 'POST /auth'],
    ['crypto.randomBytes', ['newSession', 'sync-stories.js'], 'POST /login'],
    ['crypto.createSign().sign', ['sign', 'index.js'], 'POST /login'],
    ['fs.readFileSync', ['showPage', 'sync-stories.js'], 'GET /page']
  ])
  assert.deepEqual(placeOf(topOf(calls, 'exact', 'Date.now')), ['onMessages', 'sync-stories.js'])
  assert.equal(topOf(calls, 'sampled', 'Date.now'), undefined)
  const { syncCall } = await app.line(({ syncCall }) => syncCall?.api === 'Date.now')
  assert.match(syncCall.advice.instead, /clock\.now\(\)/)
  const { text } = await app.get('/metrics')
  for (const source of SOURCES) assert.match(text, new RegExp(`^loopscope_sync_call_seconds_total\\{api="crypto.pbkdf2Sync",http_route="/auth",source="${source}"\\} `, 'm'))
})

test('they agree in an ES module with named imports', async t => {
  const app = await start(t, 'sync-stories-esm.mjs')
  const calls = await load(app, [['POST', '/auth'], ['GET', '/page']], ['crypto.pbkdf2Sync', 'fs.readFileSync'])
  assertAgreement(calls, [
    ['crypto.pbkdf2Sync', ['checkPassword', 'sync-stories-esm.mjs'], 'POST /auth'],
    ['fs.readFileSync', ['showPage', 'sync-stories-esm.mjs'], 'GET /page']
  ])
})

test('a site in a minified file of one line has its line and column', async t => {
  const file = path.join(makeScratch(t), 'app.min.js')
  const text = 'var a=require("node:crypto");exports.x=function(){return 1};exports.work=function b(){return a.scryptSync("a","b",64)};'
  fs.writeFileSync(file, text)
  const app = await start(t, 'sync-stories.js', { args: [file], env: { LOOPSCOPE_STALL_THRESHOLD_MS: '60000' } }) // a stall would show the line of the call
  const calls = await load(app, [['GET', '/own']], ['crypto.scryptSync'])
  const places = SOURCES.map(source => topOf(calls, source, 'crypto.scryptSync').callSite)
  for (const place of places) assert.deepEqual([place.function, path.basename(place.file), place.line], ['b', 'app.min.js', 1])
  const [exact, sampled] = places
  assert.equal(exact.column, text.indexOf('scryptSync') + 1)
  assert.equal(sampled.column, text.indexOf('(){return a') + 1)
})
