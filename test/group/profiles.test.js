'use strict'

// One profile of all processes of a group, also while some of them are blocked or stopped.

const test = require('node:test')
const assert = require('node:assert/strict')
const { get, recorded } = require('../admin/running')
const { block, runGroup } = require('./grouped')

/** Which processes have samples below a function. */
function processesIn ({ nodes, samples, processes }, name) {
  const ids = new Set(nodes.filter(({ callFrame }) => callFrame.functionName === name).map(({ id }) => id))
  for (const { id, children = [] } of nodes) if (ids.has(id)) for (const child of children) ids.add(child)
  return [...new Set(samples.flatMap((id, index) => ids.has(id) ? [processes.names[processes.samples[index]]] : []))]
}

/** Until it is there: what is sampled is up to chance. */
async function untilFound (url, isFound) {
  for (;;) {
    const response = await get(url)
    const body = await response.text()
    if (response.status === 200 && isFound(body)) return { headers: response.headers, body }
  }
}

test('a profile of a group has what a blocked process does, and names a stopped one', { timeout: 60_000 }, async t => {
  const { apps, folder } = await runGroup(t, 3)
  const [turning, blocked, stopped] = apps
  for (const { url } of apps) await recorded(`${url}/diagnostics`)
  const goOn = block({ ...blocked, folder })
  const all = await untilFound(`${turning.url}/diagnostics/group/cpu`, body => processesIn(JSON.parse(body), 'spin').length > 0)
  assert.equal(all.headers.get('x-loopscope-processes'), '3/3')
  const profile = JSON.parse(all.body)
  assert.deepEqual(processesIn(profile, 'spin'), [String(blocked.pid)])
  assert.deepEqual(profile.processes.names.toSorted(), apps.map(({ pid }) => String(pid)).toSorted())

  stopped.child.kill('SIGSTOP')
  t.after(() => stopped.child.kill('SIGCONT'))
  const queries = ['format=text', 'format=flamegraph', `route=${encodeURIComponent('GET /none')}`]
  const [text, page, ofRoute] = await Promise.all(queries.map(query => get(`${turning.url}/diagnostics/group/cpu?${query}`)))
  goOn()
  assert.equal(text.headers.get('x-loopscope-processes'), '2/3')
  const report = await text.text()
  assert.match(report, /^CPU profile of shop: 2 of 3 processes$/m)
  assert.match(report, new RegExp(`^Note: without process ${stopped.pid}: `, 'm'))
  assert.match(report, new RegExp(`^ +[\\d.]+ +[\\d.]+% +[\\d.]+% +${blocked.pid} `, 'm'))
  assert.match(await page.text(), /2 of 3 processes/)

  assert.equal(ofRoute.status, 404)
  assert.match(await ofRoute.text(), /GET \/none/)
})

test('sampled allocations of a group are one heap profile', { timeout: 60_000 }, async t => {
  const { apps: [one, other] } = await runGroup(t, 2)
  const allocating = setInterval(() => { for (const { url } of [one, other]) get(`${url}/hold?count=1000`).catch(() => {}) }, 50)
  t.after(() => clearInterval(allocating))
  const { body, headers } = await untilFound(`${one.url}/diagnostics/group/heap-profile?seconds=0.5&format=text`, text => /holdOrders/.test(text))
  assert.equal(headers.get('x-loopscope-processes'), '2/2')
  assert.match(body, /^heap profile of shop: 2 of 2 processes$/m)
  assert.match(body, new RegExp(`^ +[\\d.]+ +[\\d.]+% +(${one.pid}|${other.pid})$`, 'm'))
})
