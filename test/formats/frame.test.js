'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { describeFrame, placeOf } = require('../../lib/formats/profile/frame')

function callFrame (fields) {
  return { functionName: 'work', scriptId: '7', url: '', lineNumber: 9, columnNumber: 4, ...fields }
}

function describe (url, appRoot = '/srv/shop', fields = {}) {
  const { file, origin } = describeFrame(callFrame({ url, ...fields }), { appRoot })
  return [file, origin]
}

test('shows files relative to the application and counts from 1', () => {
  const frame = describeFrame(callFrame({ url: 'file:///srv/shop/lib/cart.js' }), { appRoot: '/srv/shop' })
  assert.deepEqual(frame, { name: 'work', file: 'lib/cart.js', line: 10, column: 5, origin: 'app' })
  assert.equal(placeOf(frame), 'lib/cart.js:10')
  assert.equal(placeOf(frame, 12), 'lib/cart.js:12')
  assert.equal(placeOf({ ...frame, file: 'dist/app.js', line: 1, column: 48211 }), 'dist/app.js:1:48211')
})

test('finds the origin of code', () => {
  assert.deepEqual(describe('/srv/shop/lib/cart.js', '/srv/shop/'), ['lib/cart.js', 'app'])
  assert.deepEqual(describe('file:///srv/shop/node_modules/express/index.js'), ['node_modules/express/index.js', 'dependency'])
  assert.deepEqual(describe('node:internal/fs/utils'), ['node:internal/fs/utils', 'node'])
  assert.deepEqual(describe('', '/srv/shop', { scriptId: '0', lineNumber: -1, columnNumber: -1 }), ['', 'native'])
  assert.deepEqual(describe('', '/srv/shop', { scriptId: '31' }), ['', 'app'], 'made by eval or new Function')
  for (const functionName of ['(root)', '(program)', '(idle)', '(garbage collector)']) {
    assert.deepEqual(describe('', '/srv/shop', { functionName, scriptId: '0' }), ['', 'meta'])
  }
})

test('a package that is installed above the application is shown like its own', () => {
  const hoisted = ['node_modules/express/index.js', 'dependency']
  for (const root of ['/mono/services/shop', '/mono/services/shop/', '/mono/shop']) assert.deepEqual(describe('file:///mono/node_modules/express/index.js', root), hoisted)
  assert.deepEqual(describe('file:///node_modules/express/index.js', '/app'), hoisted)
  assert.deepEqual(describe('file:///D:/mono/node_modules/express/index.js', 'd:\\Mono\\services\\shop'), hoisted)
  assert.deepEqual(describe('file:///usr/lib/node_modules/ms/index.js', '/usr/lib/node_modules/shop'), ['node_modules/ms/index.js', 'dependency'])
  const pnpm = 'node_modules/.pnpm/express@5.1.0/node_modules/express/index.js'
  assert.deepEqual(describe(`file:///mono/${pnpm}`, '/mono/services/shop'), [pnpm, 'dependency'])
  assert.deepEqual(describe('file:///mono/services/other/node_modules/ms/index.js', '/mono/services/shop'), ['/mono/services/other/node_modules/ms/index.js', 'dependency'], 'not above it')
  assert.deepEqual(describe('file:///usr/lib/node_modules/npm/index.js', '/usr/library'), ['/usr/lib/node_modules/npm/index.js', 'dependency'])
})

test('the sources of an application that was built into a hidden folder of its project are relative to the project', () => {
  const root = '/srv/shop/.output/server'
  assert.deepEqual(describe(`file://${root}/chunks/build/cart.mjs`, root), ['chunks/build/cart.mjs', 'app'])
  assert.deepEqual(describe('/srv/shop/server/api/cart.ts', root), ['server/api/cart.ts', 'app'])
  assert.deepEqual(describe('/srv/shop/node_modules/ms/index.js', '/srv/shop/.next/standalone'), ['node_modules/ms/index.js', 'dependency'])
  assert.deepEqual(describe('/srv/other/cart.ts', root), ['/srv/other/cart.ts', 'app'], 'not of the project')
  assert.deepEqual(describe('/srv/work/cart.ts', '/srv/.local/share/shop'), ['/srv/work/cart.ts', 'app'], 'not built there')
})

test('takes an application that is itself installed in a node_modules for the application', () => {
  const root = '/usr/lib/node_modules/shop'
  assert.deepEqual(describe(`file://${root}/cart.js`, root), ['cart.js', 'app'])
  assert.deepEqual(describe(`file://${root}/node_modules/ms/index.js`, root), ['node_modules/ms/index.js', 'dependency'])
})

test('is not deceived by a sibling folder with the same beginning', () => {
  assert.deepEqual(describe('file:///srv/shop-old/cart.js'), ['/srv/shop-old/cart.js', 'app'])
})

test('reads URLs and paths of Windows on every system', () => {
  assert.deepEqual(describe('file:///C:/srv/shop/lib/cart.js', 'C:\\srv\\shop'), ['lib/cart.js', 'app'])
  assert.deepEqual(describe('C:\\srv\\shop\\lib\\cart.js', 'c:\\srv\\shop'), ['lib/cart.js', 'app'])
  assert.deepEqual(describe('file://server/share/lib/cart.js', '\\\\server\\share'), ['lib/cart.js', 'app'])
})

test('decodes what URLs encode and leaves out what is not a path', () => {
  assert.deepEqual(describe('file:///srv/shop/a%20b/caf%C3%A9.mjs?version=2'), ['a b/café.mjs', 'app'])
  assert.deepEqual(describe('file:///srv/shop/100%.js'), ['100%.js', 'app'])
  assert.deepEqual(describe('data:text/javascript,console.log(1)'), ['data:', 'app'])
  assert.equal(describeFrame(callFrame({ functionName: '' })).name, '(anonymous)')
})
