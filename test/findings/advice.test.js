'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { findFindings } = require('../../lib/observer/findings/find-findings')
const { readings, spot } = require('./readings')

const ask = hotSpot => findFindings(readings({ activity: { busyMs: 33_000, hotSpots: [hotSpot] } }), { appName: 'shop' }).findings[0]

test('conversions, copies and objects that are made again and again have advice of their own', () => {
  const asked = (call, via = null) => ask(spot({ culprit: { call, via } }))
  const cases = [
    ['concat', /collect the parts in an array/], ['Array.concat', /join them once/], ['inspect', /test the log level first/], ['get stack', /stackTraceLimit/],
    ['Intl.NumberFormat', /make one Intl formatter/], ['Date.toLocaleDateString', /make one Intl formatter/], ['RegExp', /make the expression once/], ['postMessage', /transfer ArrayBuffers/],
    ['setImmediate', /wait for what happens/]
  ]
  for (const [call, instead] of cases) assert.match(asked(call).instead, instead, call)
  const pool = asked('postMessage', { package: 'piscina', function: 'run', through: null })
  assert.deepEqual([pool.id, pool.title], ['hot-dependency', "POST /login spends 90 % of the loop's busy time in postMessage in the package piscina's run, called in login (auth.js:23)."])
  assert.doesNotMatch(pool.instead, /worker_threads/, 'it is a package of workers')
})

test('a date that is made of a value reads no clock', () => {
  const asked = text => ask(spot({ text })).id
  const texts = ['const at = new Date()', 'const at = +new Date', 'at = new Date( ).getTime()', 'return new Date(left.born) - new Date(right.born)']
  assert.deepEqual(texts.map(asked), ['hot-clock', 'hot-clock', 'hot-clock', 'hot-function'])
})
