'use strict'

// Rules in a real process.

const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { get, run } = require('../admin/running')
const { drive } = require('../process/child')
const { quietMachine } = require('../runner/quiet-machine')
const { listen } = require('../http/listening')

/** Blocks the loop of the fixture application until what is given has been done. */
async function whileStuck (app, work) {
  const until = path.join(app.folder, 'go-on')
  const answered = fetch(`${app.url}/spin?until=${until}`)
  answered.catch(() => {})
  try {
    return await work()
  } finally {
    fs.writeFileSync(until, '')
    await answered
  }
}

/** @template T @param {() => T | Promise<T>} look  until it finds something */
async function wait (look) {
  for (;;) {
    const found = await look()
    if (found) return found
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

const filesOf = dir => fs.existsSync(dir) ? fs.readdirSync(dir, { recursive: true }).filter(name => /cpu-.*\.txt$/.test(name)) : []

test('in the middle of a stall a rule captures it, logs, and notifies a receiver; its limits hold', async t => {
  await quietMachine(t) // V8 names the culprit of a thread that is run
  const server = http.createServer()
  const port = await listen(t, server)
  const rules = [{
    name: 'stuck',
    when: { stallMs: 500 },
    do: [{ capture: 'cpu', last: 5, format: 'text' }, { log: 'warn' }, { webhook: `http://127.0.0.1:${port}/secret` }]
  }]
  const app = await run(t, { env: { LOOPSCOPE_RULES: JSON.stringify(rules) } })
  const listener = await app.listenerUrl()
  const [told] = await whileStuck(app, async () => {
    const [request, response] = await once(server, 'request')
    const body = await request.setEncoding('utf8').toArray()
    response.end()
    // The loop is stuck still: all of this was done in the middle of the stall.
    assert.equal(filesOf(app.dir).length, 1)
    assert.ok((await (await get(`${listener}/stalls`)).json()).blockedMs >= 500)
    return body
  })
  const { conditions: [{ value }], culprit, route, artifacts: [artifact], process } = JSON.parse(told)
  assert.ok(value >= 500)
  assert.deepEqual([culprit.function, route, process.pid], ['spin', 'GET /spin', app.pid])
  assert.match(fs.readFileSync(artifact.path, 'utf8'), /spin/)
  await app.until(/^rule stuck: stallMs \d+ >= 500 in spin \(app\.js:\d+\), GET \/spin; wrote /)

  fs.rmSync(path.join(app.folder, 'go-on'))
  await whileStuck(app, () => wait(async () => (await (await get(`${listener}/stalls`)).json()).blockedMs >= 700))
  const status = await wait(async () => {
    const [stuck] = (await (await get(`${listener}/rules`)).json()).rules
    return stuck.counts.done === 1 && stuck
  })
  assert.ok(!JSON.stringify(status).includes('secret'))
  assert.deepEqual([filesOf(app.dir).length, status.isHere, status.last.outcome, status.last.artifacts], [1, true, 'done', [artifact]])
  assert.match(await (await get(`${listener}/metrics`)).text(), /^loopscope_rule_actions_total\{rule="stuck",outcome="done"\} 3$/m)
})

test('a process that is started again has the limits of the one before', async t => {
  const rules = [{ name: 'memory', when: { rssBytes: 1 }, do: [{ log: 'info' }] }]
  const first = await drive(t, { options: { rules } })
  await first.until(/^rule memory: rssBytes \d+ >= 1$/)
  const second = await drive(t, { options: { rules, dir: first.dir } })
  await wait(() => second.run(async ({ handle }) => /rule="memory",outcome="limited"\} 1/.test(await handle.registry.metrics())))
  assert.equal(second.said(/^rule memory/).length, 0)
})

test('a dry run says what would be done, does nothing and writes nothing', async t => {
  const rules = [{ name: 'memory', when: { rssBytes: 1 }, do: [{ capture: 'heap-histogram' }, { webhook: 'http://127.0.0.1:9/secret' }] }]
  const app = await drive(t, { options: { rules, rulesDryRun: true } })
  const { msg } = await app.until(/^dry run/)
  assert.match(msg, /^dry run: rule memory: rssBytes \d+ >= 1; would capture heap-histogram, webhook http:\/\/127\.0\.0\.1:9$/)
  assert.deepEqual(fs.readdirSync(app.dir, { recursive: true }).filter(name => /histogram|\.json$/.test(name) && !name.endsWith('application.json')), [])
})

test('what fails is logged without secrets, and holds up neither the rest nor the application', async t => {
  const rules = [{ name: 'memory', when: { rssBytes: 1 }, do: [{ capture: 'cpu', last: 5 }, { log: 'info' }] }]
  const app = await drive(t, { options: { rules, recorder: false } })
  await app.until(/^an action of rule memory failed: capture cpu last=5: no CPU profile is available/)
  await app.until(/^rule memory: rssBytes/)
})
