'use strict'

// What a rule captures is sent where option egress says.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const { resolveOptions } = require('../../lib/api/options/resolve-options')
const { receive } = require('../egress/receiver')
const { drive } = require('../process/child')

const PUSH = [{ capture: 'cpu', last: 5, format: 'text' }, { push: true }]

test('a captured profile is put as the file that it is, and as a profile where profiles are taken', async t => {
  const [storage, pyroscope] = [await receive(t), await receive(t)]
  const rules = [{ name: 'stalls', when: { stallCount: 2 }, do: PUSH }]
  const egress = [
    { to: 'put', url: `http://127.0.0.1:${storage.port}/{file}` },
    { to: 'pyroscope', url: `http://127.0.0.1:${pyroscope.port}`, everySeconds: false }
  ]
  const app = await drive(t, { options: { rules, egress } })
  await app.run(async ({ require }) => {
    const sleep = require('node:timers/promises').setTimeout
    function burn () { for (const end = Date.now() + 300; Date.now() < end;); }
    for (let stall = 0; stall < 3; stall++) {
      burn()
      await sleep(200)
    }
  })
  const isCapture = ({ url }) => /cpu/.test(url)
  await storage.until(() => storage.taken.some(isCapture))
  await pyroscope.until(() => pyroscope.taken.length > 0)
  const { url, body } = storage.taken.find(isCapture)
  const [kept] = fs.readdirSync(app.dir, { recursive: true }).filter(name => url.endsWith(name.split('/').at(-1)))
  assert.equal(body.toString(), fs.readFileSync(`${app.dir}/${kept}`, 'utf8'))
  assert.match(body.toString(), /^CPU profile of /)
  const [profile] = pyroscope.taken
  assert.match(profile.url, /^\/ingest\?name=/)
  assert.match(profile.body.toString('latin1'), /name="profile"/)
})

test('a captured heap profile goes where profiles are taken, whatever its file is', async t => {
  const [pyroscope, collector] = [await receive(t), await receive(t)]
  const rules = [{ when: { stallCount: 1 }, do: [{ capture: 'heap-profile', seconds: 1, format: 'text' }, { push: true }] }]
  const egress = [
    { to: 'pyroscope', url: `http://127.0.0.1:${pyroscope.port}`, everySeconds: false, stallMs: 60_000 },
    { to: 'otlp', url: `http://127.0.0.1:${collector.port}`, everySeconds: false, stallMs: 60_000 }
  ]
  const app = await drive(t, { options: { rules, egress } })
  await app.run(async ({ ready }) => {
    await ready()
    const held = []
    setInterval(function fillCache () { for (let at = 0; at < 2000; at++) held.push(new Array(100).fill(at)) }, 100)
    for (const end = Date.now() + 300; Date.now() < end;);
  })
  await Promise.all([pyroscope, collector].map(receiver => receiver.until(() => receiver.taken.length > 0)))
  assert.match(pyroscope.taken[0].body.toString('latin1'), /name="sample_type_config"\r\n[^]*inuse_space/)
  const body = collector.taken[0].body.toString('latin1')
  assert.match(body, /inuse_space/)
  assert.match(body, /fillCache/)
})

test('a rule that pushes wants somewhere to push to', () => {
  const rules = [{ when: { stallMs: 1000 }, do: PUSH }]
  assert.throws(() => resolveOptions({ rules }, {}), { code: 'ERR_LOOPSCOPE_INVALID_OPTION', message: /^options\.rules\[0\]\.do must be without push/ })
  assert.throws(() => resolveOptions({ rules, egress: [] }, {}), { code: 'ERR_LOOPSCOPE_INVALID_OPTION' })
  assert.doesNotThrow(() => resolveOptions({ rules, egress: { to: 'put', url: 'https://bucket.example/{file}' } }, {}))
})
