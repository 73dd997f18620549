'use strict'

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const crypto = require('node:crypto')
const path = require('node:path')
const { before, test } = require('node:test')
const { gunzipSync, gzipSync } = require('node:zlib')
const { Profile } = require('pprof-format')
const { diffProfiles } = require('../../lib/formats/differences')
const { FORMATS } = require('../../lib/formats/formats')
const { buildCallTree } = require('../../lib/formats/profile/call-tree')
const { describeFrame } = require('../../lib/formats/profile/frame')
const { shownStack } = require('../../lib/formats/profile/shown-names')
const { encodeBlockProfile } = require('../../lib/formats/pprof')
const { readRecorded } = require('../fixtures/profiles/profiles')
const { record } = require('./recorded')

const APIS = ['crypto.pbkdf2Sync: run', 'crypto.scryptSync: run', 'crypto.randomBytes: run', 'child_process.spawnSync: spawn', 'zlib.*Sync: writeSync']
const WRAPPERS = ['pbkdf2Sync', 'scryptSync', 'spawnSync']
const BARE = /^(run|spawn|writeSync)$/

let profile

before(async () => {
  // On a busy machine a short call may get no sample, or too small a share for a line of the text.
  for (let round = 0; round < 10 && !hasAll(profile); round++) profile = await record(callAll)
})

function callAll () {
  crypto.pbkdf2Sync('password', 'salt', 20_000, 64, 'sha512')
  crypto.scryptSync('password', 'salt', 64)
  crypto.randomBytes(2e7)
  spawnSync(process.execPath, ['--version'])
  gzipSync(crypto.randomBytes(1e6))
}

// Node.js 26.12 fills the buffer in another native function than those before.
const hasApi = (names, api) => names.includes(api) || (api === 'crypto.randomBytes: run' && names.includes('crypto.randomBytes: randomFillSync'))

function hasAll (profile) {
  if (profile === undefined) return false
  const names = functionsOf(FORMATS.pprof.encode(profile))
  const text = FORMATS.text.encode(profile).toString()
  return APIS.every(api => hasApi(names, api)) && WRAPPERS.every(wrapper => lineOf(wrapper).test(text))
}

function lineOf (wrapper) {
  return new RegExp(`% {2}${wrapper} node:internal/`)
}

function frame (functionName, url, line = 1) {
  const scriptId = url === '' && line === 0 ? '0' : '7'
  return describeFrame({ functionName, scriptId, url, lineNumber: line - 1, columnNumber: 0 }, { appRoot: '/app' })
}

const native = name => frame(name, '', 0)

/** The name of the innermost. */
function nameIn (...stack) {
  return shownStack(stack)[0].name
}

function functionsOf (bytes) {
  const message = Profile.decode(gunzipSync(bytes))
  return message.function.map(({ name }) => message.stringTable.strings[Number(name)])
}

function assertTold (names) {
  for (const api of APIS) assert.ok(hasApi(names, api), `${api} in ${names}`)
  assert.deepEqual(names.filter(name => BARE.test(name)), [])
}

test('native ends of different APIs are different functions in pprof, where those of one name become one', () => {
  assertTold(functionsOf(FORMATS.pprof.encode(profile)))
})

test('the flame graph shows and finds them by the API', () => {
  const [, json] = /id="graph">([^]*?)<\/script>/.exec(FORMATS.flamegraph.encode(profile).toString())
  assertTold(JSON.parse(json).frames.map(([name]) => name))
})

test('a difference has a row for each', () => {
  const nothing = { ...profile, samples: [], timeDeltas: [], endTime: profile.startTime }
  assertTold(diffProfiles(nothing, profile).rows.map(({ name }) => name))
})

test('the text counts their time with the function of Node that called them', () => {
  const text = FORMATS.text.encode(profile).toString()
  for (const wrapper of WRAPPERS) assert.match(text, lineOf(wrapper))
  assert.doesNotMatch(text, /(run|spawn|writeSync) \(native\)/)
})

test('the profile of what blocked has them, too, while the report itself has V8\'s names', () => {
  const stack = [['run', ''], ['pbkdf2Sync', 'node:internal/crypto/pbkdf2'], ['login', 'app.js']]
    .map(([name, file]) => ({ function: name, file, line: file === '' ? 0 : 8, column: 0 }))
  const bytes = encodeBlockProfile({ stalls: [{ cause: 'code', route: null, durationMs: 300, stack }], syncCalls: [], fromMs: 0, toMs: 1000 })
  assert.deepEqual(functionsOf(bytes), ['crypto.pbkdf2Sync: run', 'pbkdf2Sync', 'login'])
})

for (const { name, profile } of readRecorded()) {
  test(`${name}: the native function of the login is named by its API`, () => {
    assert.ok(functionsOf(FORMATS.pprof.encode(profile)).includes('crypto.pbkdf2Sync: run'))
  })
}

test('the API is the one that was called from outside, as for synchronous calls', () => {
  const spawn = [native('spawn'), frame('spawnSync', 'node:internal/child_process'), frame('spawnSync', 'node:child_process'), frame('execSync', 'node:child_process')]
  assert.equal(nameIn(...spawn, frame('handle', '/app/app.js')), 'child_process.execSync: spawn')
  assert.equal(nameIn(native('run'), frame('signOneShot', 'node:internal/crypto/sig'), frame('sign', '/app/node_modules/jws/index.js')), 'crypto.sign: run')
})

test('where no synchronous API was called, the calling function of Node gives the name', () => {
  const handle = frame('handle', '/app/app.js')
  assert.equal(nameIn(native('update'), frame('update', 'node:internal/crypto/hash'), handle), 'Hash.update: update')
  assert.equal(nameIn(native('update'), frame('update', 'node:internal/crypto/cipher'), handle), 'crypto/cipher.update: update')
  assert.equal(nameIn(native('latin1Slice'), frame('', 'node:internal/buffer'), handle), 'buffer: latin1Slice')
  assert.equal(nameIn(native(''), frame('byteLength', 'node:buffer'), handle), 'Buffer.byteLength')
  assert.equal(nameIn(native('utf8WriteStatic'), frame('Buffer.from', 'node:buffer'), handle), 'Buffer.from: utf8WriteStatic') // as a stall has it
  assert.equal(nameIn(native('open'), frame('openSync', 'node:fs')), 'fs.openSync: open')
})

test('a function of Node that means little alone has the name by which it is called', () => {
  const handle = frame('handle', '/app/app.js')
  const called = (name, file) => nameIn(frame(name, file), handle)
  assert.deepEqual([called('from', 'node:buffer'), called('toString', 'node:buffer'), called('decode', 'node:internal/encoding'), called('resolve', 'node:path')], ['Buffer.from', 'Buffer.toString', 'TextDecoder.decode', 'path.resolve'])
  assert.deepEqual([called('fromStringFast', 'node:buffer'), called('pbkdf2Sync', 'node:internal/crypto/pbkdf2'), called('emit', 'node:events')], ['fromStringFast', 'pbkdf2Sync', 'emit'])
})

test('a native function that a package calls is the package\'s; one that the application calls is known by its own name only', () => {
  assert.equal(nameIn(native('run'), frame('run', '/app/node_modules/better-sqlite3/lib/methods/wrappers.js')), 'better-sqlite3: run')
  assert.equal(nameIn(native('run'), frame('save', '/app/src/orders.js')), 'run')
  assert.equal(nameIn(native(''), frame('save', '/app/src/orders.js', 12)), '(anonymous) called by save src/orders.js:12')
  assert.equal(nameIn(native('RegExp: (a+)+b'), frame('isIPv4', 'node:internal/net')), 'RegExp: (a+)+b')
})

test('a function without a file is named by the nearest one above it that has one', () => {
  const compiled = [frame('anonymous', ''), frame('compiled', '/app/node_modules/ejs/lib/ejs.js', 691)]
  assert.equal(nameIn(...compiled), 'anonymous called by compiled node_modules/ejs/lib/ejs.js:691')
  assert.equal(nameIn(frame('escape', ''), ...compiled), 'escape called by compiled node_modules/ejs/lib/ejs.js:691')
  assert.equal(nameIn(frame('anonymous', ''), frame('emit', 'node:events')), 'anonymous')
})

test('functions that eval made are distinguished in all formats, and named by their sourceURL where they have one', async () => {
  const burn = 'const end = Date.now() + 60; while (Date.now() < end);'
  // eslint-disable-next-line no-new-func
  const [plain, told] = [new Function(burn), new Function(`${burn}\n//# sourceURL=views/list.ejs`)]
  function renderList () { plain() }
  function renderPage () { plain(); told() }
  const made = await record(() => { renderList(); renderPage() })
  const context = { appRoot: path.join(__dirname, '..') }
  const place = name => new RegExp(`\\(anonymous\\) called by ${name} formats/shown-names\\.test\\.js:\\d+`)
  const texts = [
    FORMATS.text.encode(made, context).toString(),
    FORMATS.flamegraph.encode(made, context).toString(),
    functionsOf(FORMATS.pprof.encode(made, context)).join('\n')
  ]
  for (const text of texts) {
    for (const name of ['renderList', 'renderPage']) assert.match(text, place(name))
  }
  assert.match(texts[0], /\(anonymous\) views\/list\.ejs:\d/)
  assert.doesNotMatch(texts[2], /^\(anonymous\)$/m)
})

test('V8\'s own names are kept for comparison', () => {
  const names = []
  const waiting = [buildCallTree(profile, { names: 'bare' })]
  for (const { frame, children } of waiting) {
    names.push(frame.name)
    waiting.push(...children)
  }
  assert.ok(names.includes('run'))
})
