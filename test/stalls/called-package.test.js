'use strict'

// Which package answers for a stall that has no function of the application on its stack.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { createSourceLines } = require('../../lib/observer/stalls/culprit/source-lines')
const { calledPackage } = require('../../lib/formats/profile/called-package')
const { makeScratch } = require('../store/scratch')

const PACKAGES = {
  'body-parser': { dependencies: { 'raw-body': '3' } },
  'raw-body': {},
  multer: { optionalDependencies: { busboy: '1' } },
  busboy: {},
  '@some/validator': { dependencies: { lodash: '4' } },
  lodash: {},
  orm: { peerDependencies: { driver: '8' } },
  driver: { dependencies: { 'driver-protocol': '1' } },
  'driver-protocol': {}
}

const frameOf = name => ({ origin: name.startsWith('node:') ? 'node' : 'dependency', name: 'run', file: name.startsWith('node:') ? name : `node_modules/${name}/index.js`, line: 1, column: 1 })

function install (t, packages) {
  const appRoot = makeScratch(t)
  for (const [name, manifest] of Object.entries(packages)) {
    const folder = path.join(appRoot, 'node_modules', name)
    fs.mkdirSync(folder, { recursive: true })
    fs.writeFileSync(path.join(folder, 'package.json'), typeof manifest === 'string' ? manifest : JSON.stringify({ name, ...manifest }))
  }
  const { dependsOn } = createSourceLines({ appRoot })
  return (...names) => calledPackage(names.map(frameOf), dependsOn)
}

test('a package answers for the packages that it calls, however deep, and declared or not', t => {
  const called = install(t, PACKAGES)
  assert.equal(called('express', '@some/validator', 'lodash'), '@some/validator')
  assert.equal(called('express', '@some/validator', 'lodash', '@some/validator', 'lodash'), '@some/validator')
  assert.equal(called('orm', 'driver', 'driver-protocol'), 'orm')
  assert.equal(called('busboy', 'lodash'), 'busboy')
})

test('a package that only calls back into one that depends on it does not answer for the package of the callback', t => {
  const called = install(t, PACKAGES)
  assert.equal(called('raw-body', 'node:async_hooks', 'body-parser'), 'body-parser')
  assert.equal(called('busboy', 'node:events', 'multer'), 'multer')
  assert.equal(called('driver-protocol', 'driver', 'orm'), 'orm')
})

test('frameworks that pass requests on answer where nothing else is on the stack, the innermost of them', t => {
  const called = install(t, PACKAGES)
  assert.equal(called('@nestjs/core', 'express'), 'express')
  assert.equal(called('node:events'), null)
})

test('where the manifest is missing or broken the outermost answers', t => {
  const called = install(t, { 'raw-body': '{', 'body-parser': 'null' })
  assert.equal(called('raw-body', 'body-parser'), 'raw-body')
  assert.equal(called('body-parser', 'raw-body'), 'body-parser')
  assert.equal(called('gone', 'raw-body'), 'gone')
})
