'use strict'

// A server that refuses what it is sent, and takes it later: the log of the process and the metrics show both.

const test = require('node:test')
const assert = require('node:assert/strict')
const { drive } = require('../process/child')
const { receive } = require('./receiver')

test('an outage is logged once, and its end; what became of the items is in the metrics', async t => {
  let status = 403
  const storage = await receive(t, { answer: () => status })
  const egress = { to: 'put', url: `http://127.0.0.1:${storage.port}/{file}`, everySeconds: 1 }
  const app = await drive(t, { options: { egress } })
  const work = ({ handle }) => handle.registry.metrics()
  const countOf = async outcome => Number(new RegExp(`^loopscope_egress_total\\{to="put",outcome="${outcome}"\\} (\\d+)$`, 'm').exec(await app.run(work))?.[1] ?? 0)
  assert.match(await app.run(work), /^loopscope_egress_queue_bytes \d+$/m)
  const { code, msg } = await app.until(/^egress of put to 127\.0\.0\.1:\d+ fails: /)
  assert.equal(code, 'LOOPSCOPE_WARN_EGRESS')
  assert.match(msg, /403/)
  while (await countOf('refused') < 2);
  assert.equal(await countOf('sent'), 0)
  status = 200
  const { egress: over } = await app.until(/^egress to 127\.0\.0\.1:\d+ works again$/)
  assert.deepEqual(over, { to: 'put', host: `127.0.0.1:${storage.port}` })
  assert.ok(await countOf('sent') > 0)
  assert.equal(app.said(/^egress of put/).length, 1)
})
