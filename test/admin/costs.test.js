'use strict'

// Every route says what it costs the application's thread, and a crowd of readers costs no more than that.

const test = require('node:test')
const assert = require('node:assert/strict')
const { COSTS, createRoutes } = require('../../lib/observer/admin/routes')
const { createSubject } = require('./subject')

const CROWD = 12

/** Which sources reach the application's thread, and the cost that allows it. */
const REACHES = { ask: 'question', requests: 'question', slowRequests: 'question', syncCalls: 'question', exactCalls: 'question', findings: 'findings', whatIf: 'findings', view: 'window', waits: 'waits', sampleHeap: 'reading', report: 'report', capture: 'capture', threads: 'threads', memory: 'question', allocationSites: 'sites' }

/** What a route needs to be asked. */
const QUERIES = { '/what-if': '?route=GET%20/a' }

/** How often each may be reached by a crowd; what is shared below the sources is counted there, by tests of its own. */
const MOST = { report: 2, capture: 6 }

const rows = createRoutes().flatMap(({ name, path, methods }) => Object.entries(methods).map(([method, row]) => ({ title: `${method} ${path}`, name, path, method, cost: row.cost })))

test('every method of every route declares a cost', () => {
  for (const { title, cost } of rows) assert.ok(Object.hasOwn(COSTS, cost), `${title}: ${cost}`)
  assert.deepEqual(Object.keys(COSTS).filter(cost => !rows.some(row => row.cost === cost)), [], 'and each is used')
})

for (const { title, path, method, cost } of rows) {
  test(`a crowd at ${title} costs what it declares: ${cost}`, async t => {
    const subject = createSubject(t)
    const reached = Object.fromEntries(Object.keys(REACHES).map(name => [name, 0]))
    for (const name of Object.keys(REACHES)) {
      const original = subject.sources[name]
      subject.sources[name] = (...values) => {
        reached[name]++
        return original(...values)
      }
    }
    const body = method === 'POST' && path === '/captures' ? { kind: 'cpu' } : null
    const target = path.replace(':id', '7').replace(':name', 'none') + (QUERIES[path] ?? '')
    // A stream begins when it is read.
    const answers = await Promise.all(Array.from({ length: CROWD }, async () => {
      const answer = await subject.ask(target, { method, body })
      await answer.body?.chunks?.next()
      return answer
    }))
    t.after(() => Promise.all(answers.map(({ body }) => body?.chunks?.return())))
    for (const [name, times] of Object.entries(reached)) {
      const isAllowed = REACHES[name] === cost
      assert.ok(isAllowed || times === 0, `${title} reaches ${name}`)
      assert.ok(times <= (MOST[name] ?? CROWD * 2), `${title} reaches ${name} ${times} times`)
    }
    const own = Object.keys(REACHES).filter(name => REACHES[name] === cost)
    assert.ok(own.length === 0 || own.some(name => reached[name] > 0), `${title} does not cost what it declares`)
  })
}

test('six reports in ten minutes are made, however many clients read them; the next gets a Retry-After', async t => {
  let made = 0
  const subject = createSubject(t, { sources: { report: async () => { made++; return process.report.getReport() } } })
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(Array.from({ length: CROWD }, () => subject.ask('/report')))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  }
  for (let left = 6 - made; left > 0; left--) assert.equal((await subject.ask('/report')).status, 200)
  const { status, headers } = await subject.ask('/report')
  assert.deepEqual([status, made, Number(headers['Retry-After']) > 500], [429, 6, true])
})
