'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { calledBy, describeFolded, foldStack, originOf } = require('../../lib/browser/figures/own-code')

const frame = file => ({ function: 'f', file, line: 1, column: 1 })

test('tells the application from packages and Node.js', () => {
  const origins = ['app.js', 'src/modules/a.ts', 'node_modules/express/lib/app.js', '../node_modules/@a/b/c.js', 'node:internal/crypto/pbkdf2', ''].map(file => originOf({ file }))
  assert.deepEqual(origins, ['app', 'app', 'dependency', 'dependency', 'node', 'node'])
})

test('a stack keeps the frames of the application, and folds what lies between them', () => {
  const files = ['', 'node:internal/crypto', 'auth.js', 'node_modules/router/layer.js', 'node_modules/express/app.js', 'node:_http_server']
  const pieces = foldStack(files.map(frame))
  assert.deepEqual(pieces.map(({ isOwn, frames }) => isOwn ? 'own' : describeFolded(frames)), ['2 frames of Node.js', 'own', '3 frames of router, express, Node.js'])
  assert.deepEqual(foldStack([]), [])
})

test('a package with a scope, and one within another, is named', () => {
  assert.equal(describeFolded([frame('node_modules/a/node_modules/@scope/b/c.js')]), '1 frame of @scope/b')
})

test('says what a culprit called', () => {
  assert.equal(calledBy({ call: 'pbkdf2Sync', via: null }), 'pbkdf2Sync')
  assert.equal(calledBy({ call: null, via: { package: 'lodash', function: 'cloneDeep' } }), 'lodash cloneDeep')
  assert.equal(calledBy({ call: 'JSON.parse', via: { package: 'a', function: 'b' } }), 'a b → JSON.parse')
  assert.equal(calledBy({ call: null, via: null }), '')
})
