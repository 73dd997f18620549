'use strict'

const assert = require('node:assert/strict')
const path = require('node:path')
const { test } = require('node:test')
const { makeScratch } = require('../store/scratch')
const { askAdmin, startExample } = require('./example')

test('examples/slow-logger.js shows in a CPU profile that its time goes into the access log', async t => {
  const example = startExample(t, 'slow-logger.js', { env: { ACCESS_LOG: path.join(makeScratch(t), 'access.log') } })
  const url = await example.address()
  for (let isSeen = false; !isSeen;) {
    assert.deepEqual(await (await fetch(`${url}/articles/7`)).json(), { id: '7', name: 'lamp' })
    const profile = await askAdmin(example, '/cpu?last=30&format=cpuprofile')
    isSeen = profile.nodes?.some(({ callFrame: { functionName, url } }) => functionName === 'writeLine' && url.endsWith('slow-logger.js'))
  }
})
