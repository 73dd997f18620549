'use strict'

// What Node's own files are called by those who use them.

const test = require('node:test')
const assert = require('node:assert/strict')
const { isBuiltin } = require('node:module')
const { publicModuleOf } = require('../../lib/formats/profile/node-api')

const NAMES = {
  'node:fs': 'node:fs',
  'node:fs/promises': 'node:fs/promises',
  'node:internal/fs/promises': 'node:fs/promises',
  'node:internal/fs/streams': 'node:fs',
  'node:internal/dns/promises': 'node:dns/promises',
  'node:internal/crypto/pbkdf2': 'node:crypto',
  'node:internal/child_process': 'node:child_process',
  'node:internal/streams/pipeline': 'node:stream',
  'node:internal/stream_base_commons': 'node:stream',
  'node:internal/webstreams/readablestream': 'node:stream/web',
  'node:stream/consumers': 'node:stream/consumers',
  'node:internal/worker': 'node:worker_threads',
  'node:_http_client': 'node:http',
  'node:_tls_wrap': 'node:tls',
  'node:internal/deps/undici/undici': 'fetch',
  'node:internal/deps/minimatch/index': null,
  'node:internal/abort_controller': null
}

test('files of Node.js have the name by which an application has what is in them', () => {
  assert.deepEqual(Object.fromEntries(Object.keys(NAMES).map(file => [file, publicModuleOf(file)])), NAMES)
  for (const name of Object.values(NAMES)) assert.ok(name === null || name === 'fetch' || isBuiltin(name), name)
})
