'use strict'

// What docs/faq.md says about turning parts off: option and variable do the same, and it is not what they do by default.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { runInNewContext } = require('node:vm')
const { resolveOptions } = require('../../lib/api/options/resolve-options')
const { readProject } = require('../internal/project')

const ROWS = [...readProject('docs/faq.md').matchAll(/^\| [^|]+ \| `(\w+: false)` \| `(LOOPSCOPE_\w+)=(\w+)` \|$/gm)]

test('each part can be turned off by its option and by its variable', () => {
  assert.ok(ROWS.length >= 8)
  const byDefault = JSON.stringify(resolveOptions({}, {}))
  for (const [, option, name, value] of ROWS) {
    const off = JSON.stringify(resolveOptions({ ...runInNewContext(`({ ${option} })`) }, {}))
    assert.notEqual(off, byDefault, option)
    assert.equal(JSON.stringify(resolveOptions({}, { [name]: value })), off, name)
  }
})
