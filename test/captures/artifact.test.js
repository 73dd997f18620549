'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { createArtifact } = require('../../lib/api/handle')
const { makeScratch } = require('../store/scratch')

test('an artifact is its facts and its file, as text and as a stream', async t => {
  const file = path.join(makeScratch(t), 'a.txt')
  fs.writeFileSync(file, 'größer')
  const facts = { kind: 'cpu', format: 'text', path: file, bytes: 8 }
  const artifact = createArtifact(facts)
  assert.deepEqual(JSON.parse(JSON.stringify(artifact)), facts)
  assert.equal(await artifact.text(), 'größer')
  assert.equal(Buffer.concat(await artifact.stream().toArray()).toString(), 'größer')
})

test('a file that retention has removed is an error of its reader', async t => {
  const artifact = createArtifact({ path: path.join(makeScratch(t), 'gone.txt') })
  await assert.rejects(artifact.text(), { code: 'ENOENT' })
  await assert.rejects(artifact.stream().toArray(), { code: 'ENOENT' })
})
