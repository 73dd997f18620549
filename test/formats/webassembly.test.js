'use strict'

const assert = require('node:assert/strict')
const { before, test } = require('node:test')
const { gunzipSync } = require('node:zlib')
const { Profile } = require('pprof-format')
const { FORMATS } = require('../../lib/formats/formats')
const { buildCallTree } = require('../../lib/formats/profile/call-tree')
const { describeFrame } = require('../../lib/formats/profile/frame')
const { summarizeTime } = require('../../lib/formats/profile/time-kinds')
const { findCulprit } = require('../../lib/observer/stalls/culprit/find-culprit')
const { craft } = require('../fixtures/profiles/profiles')
const { spinInWasm } = require('../fixtures/profiles/spin')
const { record } = require('./recorded')

let profile

before(async () => {
  profile = await record(() => {
    const end = Date.now() + 200
    while (Date.now() < end) spinInWasm(1e7)
  })
})

test('WebAssembly is a kind of its own, and so is what V8 puts before it', () => {
  const originOf = (functionName, url, scriptId) => describeFrame({ functionName, scriptId, url, lineNumber: 0, columnNumber: 34 }).origin
  assert.equal(originOf('wasm-function[0]', 'wasm://wasm/05788f62', '112'), 'wasm')
  assert.equal(originOf('js-to-wasm:i:i', 'wasm://wasm/05788f62', '112'), 'wasm')
  assert.equal(originOf('js-to-wasm:i:i', '', '0'), 'wasm')
  assert.equal(originOf('GenericJSToWasmWrapper', '', '0'), 'wasm')
})

test('its time is neither JavaScript nor native, and busy', () => {
  const { javascript, wasm, native, gc, busy } = summarizeTime(buildCallTree(profile))
  assert.ok(wasm > busy / 2, `${wasm} of ${busy}`)
  assert.equal(javascript + wasm + native + gc, busy)
})

test('the text has a row for it, where there is some', () => {
  assert.match(FORMATS.text.encode(profile).toString(), /%\s{2}JavaScript\n.*%\s{2}WebAssembly\n.*%\s{2}native/)
  assert.doesNotMatch(FORMATS.text.encode(craft([[['work'], 10_000]])).toString(), /WebAssembly/)
})

test('the flame graph has its kind and its share', () => {
  const page = FORMATS.flamegraph.encode(profile).toString()
  const { frames } = JSON.parse(/id="graph">([^]*?)<\/script>/.exec(page)[1])
  const [, place, kind] = frames.find(([name]) => name === 'wasm-function[0]')
  assert.match(place, /^wasm:\/\/wasm\//)
  assert.equal(kind, 'wasm')
  assert.match(page, /<dt class="wasm">WebAssembly<\/dt>/)
})

test('pprof distinguishes the functions of two modules', () => {
  const message = Profile.decode(gunzipSync(FORMATS.pprof.encode(profile)))
  const names = message.function.map(({ name }) => message.stringTable.strings[Number(name)])
  assert.ok(names.some(name => /^wasm-function\[0\] wasm:\/\/wasm\/[0-9a-f]+$/.test(name)), names.join('\n'))
})

test('the culprit is the JavaScript that called it', () => {
  const { culprit } = findCulprit(profile)
  assert.deepEqual([culprit.function, culprit.call], ['spinInWasm', null])
})
