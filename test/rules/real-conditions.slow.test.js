'use strict'

// Conditions that need time to be known, and limits that hold over processes that die, in real processes.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { get, run } = require('../admin/running')
const { drive } = require('../process/child')

const LOG = [{ log: 'info' }]
const RULES = [
  { name: 'busy', when: { utilization: 0.3 }, withinSeconds: 10, do: LOG },
  { name: 'late', when: { delayP99Ms: 100 }, withinSeconds: 10, do: LOG },
  { name: 'failing', when: { errorResponseShare: 0.5 }, withinSeconds: 10, do: LOG },
  { name: 'full', when: { heapAfterGcBytes: 1e6 }, do: LOG },
  { name: 'wrong', when: { finding: 'hot-sync-call' }, withinSeconds: 10, do: LOG },
  { name: 'never', when: { utilization: 0.3, errorResponseShare: 0.9, heapAfterGcBytes: 1e6 }, withinSeconds: 10, do: LOG }
]

/** Runs in the application: two of three answers are errors, every answer is late, and the heap is collected. */
async function fail ({ diagnostics, options, require }, rules) {
  const { pbkdf2Sync } = require('node:crypto')
  let asked = 0
  const logIn = response => {
    const untilMs = performance.now() + 150
    while (performance.now() < untilMs) pbkdf2Sync('a password', 'salt', 5000, 64, 'sha512')
    response.writeHead(++asked % 3 === 0 ? 200 : 503).end()
  }
  const d = diagnostics({ ...options, rules })
  const server = require('node:http').createServer((request, response) => d(request, response, () => logIn(response)))
  server.listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const ask = async () => {
    await (await fetch(`http://127.0.0.1:${server.address().port}`)).text()
    globalThis.gc()
    setTimeout(ask, 50)
  }
  ask()
}

test('the main thread\'s figures of the loop, the responses and the heap, and a finding, are judged', async t => {
  const app = await drive(t, { execArgv: ['--expose-gc'] })
  await app.run(fail, RULES)
  const values = {}
  for (const { name, when } of RULES.slice(0, -1)) {
    const { firing } = await app.until(new RegExp(`^rule ${name}: ${Object.keys(when)[0]} `))
    values[name] = firing.conditions[0].value
    assert.equal(firing.conditions.length, 1)
    if (name === 'wrong') assert.equal(firing.culprit.function, 'logIn')
  }
  const { busy, late, failing, full } = values
  assert.ok(busy >= 0.3 && busy <= 1, `${busy}`)
  assert.ok(late >= 100, `${late}`)
  assert.ok(failing > 0.5 && failing < 0.8, `${failing}`)
  assert.ok(full >= 1e6 && full < 1e9, `${full}`)
  assert.deepEqual(app.said(/^rule never/), [])
})

test('a process that is stuck, is killed and starts again has the limits of all before it', async t => {
  const STARTS = 4
  const rules = [{ name: 'stuck', when: { stallMs: 300 }, do: [{ capture: 'cpu', last: 5, format: 'text' }], limit: { coolDownSeconds: 1, perDay: 2 } }]
  const env = { LOOPSCOPE_RULES: JSON.stringify(rules) }
  const outcomes = []
  for (let start = 0; start < STARTS; start++) {
    const app = await run(t, { env })
    env.LOOPSCOPE_DIR ??= app.dir
    const url = await app.listenerUrl()
    fetch(`${app.url}/spin?until=${path.join(app.folder, 'never')}`).catch(() => {})
    outcomes.push(await outcome(url))
    app.child.kill('SIGKILL')
    await app.ended
  }
  const files = fs.readdirSync(env.LOOPSCOPE_DIR, { recursive: true }).filter(name => /cpu-.*\.txt$/.test(name))
  // The second start may be so early that the rule cools down still.
  assert.deepEqual([files.length, outcomes[0], outcomes.at(-1)], [2, 'done', 'limited'], outcomes.join())
  assert.equal(outcomes.filter(name => name === 'done').length, 2)
})

/** Of the rule, as soon as it has one. */
async function outcome (url) {
  for (;;) {
    const [{ last }] = (await (await get(`${url}/rules`)).json()).rules
    if (last !== null) return last.outcome
    await sleep(20)
  }
}
