'use strict'

// One scrape for three processes: asked of any, while one is blocked, one is stopped, one is killed and another starts. No
// counter of the group ever falls.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { getControl } = require('../admin/running')
const { createCounterCheck, parseSeries } = require('./counters')
const { block, runGroup, until } = require('./grouped')

async function scrape ({ pid, joined: controlDir }) {
  const { status, text } = await getControl(path.join(controlDir, `${pid}.sock`), '/metrics?group=1')
  assert.equal(status, 200, text)
  return text
}

/** Scrapes, and holds every counter against the scrape before. */
function createScraper () {
  const noCounterFell = createCounterCheck()
  return async app => {
    const text = await scrape(app)
    const count = noCounterFell(text)
    assert.ok(count > 50, String(count))
    return parseSeries(text)
  }
}

/** A group, and how another process joins it: there when its socket is. */
async function runShop (t, count) {
  const { apps, controlDir, join } = await runGroup(t, count)
  const joined = async app => {
    await until(() => fs.existsSync(path.join(controlDir, `${app.pid}.json`)))
    return { ...app, joined: controlDir }
  }
  return { apps: await Promise.all(apps.map(joined)), join: async () => joined(await join()) }
}

const requestTo = async ({ url }) => { await (await fetch(`${url}/hold?count=1`)).text() }
const HELD = 'http_server_request_duration_seconds_count{http_request_method="GET",url_scheme="http",http_route="/hold",http_response_status_code="200"}'
const upOf = (metrics, { pid }) => metrics.get(`loopscope_up{pid="${pid}"}`)

test('any process answers for all, and what one has counted stays when it is stuck, stopped, killed or closed', async t => {
  const { apps, join } = await runShop(t, 3)
  const [one, two, three] = apps
  const next = createScraper()
  for (const app of apps) await requestTo(app)
  assert.equal((await next(one)).get(HELD), 3)
  await requestTo(two)
  const all = await next(two)
  assert.equal(all.get(HELD), 4)
  assert.deepEqual(apps.map(app => upOf(all, app)), [1, 1, 1])
  assert.equal(all.get('loopscope_build_info{version="' + require('../../package.json').version + '"}'), 1)

  const goOn = block(one)
  await until(async () => (await next(two)).get('loopscope_eventloop_blocked_now_seconds') > 0.2)
  await requestTo(three)
  const blocked = await next(one) // its own loop is stuck
  assert.equal(blocked.get(HELD), 5)
  assert.equal(upOf(blocked, one), 1)
  goOn()

  process.kill(three.pid, 'SIGSTOP')
  const stopped = await next(two)
  assert.equal(stopped.get(HELD), 5)
  assert.deepEqual(apps.map(app => upOf(stopped, app)), [1, 1, 0])
  process.kill(three.pid, 'SIGCONT')

  three.child.kill('SIGKILL')
  await three.ended
  const four = await join()
  await requestTo(four)
  const replaced = await next(one)
  assert.equal(replaced.get(HELD), 6)
  assert.deepEqual([one, two, three, four].map(app => upOf(replaced, app)), [1, 1, undefined, 1])

  await requestTo(two)
  two.child.kill('SIGTERM') // closes its diagnostics: what it counted since the last scrape is told
  await two.ended
  const closed = await next(four)
  assert.equal(closed.get(HELD), 7)
  assert.equal(upOf(closed, two), undefined)
})

test('scrapers at all doors at once never see a counter fall', async t => {
  const { apps } = await runShop(t, 3)
  let asked = 0
  const scrapers = Array.from({ length: 3 }, async (_, at) => {
    const next = createScraper()
    for (let round = 0; round < 8; round++) {
      await requestTo(apps[(at + round) % 3])
      asked++
      await next(apps[(at * 2 + round) % 3])
    }
  })
  await Promise.all(scrapers)
  assert.equal(parseSeries(await scrape(apps[0])).get(HELD), asked)
})

test('when all have ended, the next deployment counts from 0', async t => {
  const { apps: [app], join } = await runShop(t, 1)
  await requestTo(app)
  assert.equal(parseSeries(await scrape(app)).get(HELD), 1)
  app.child.kill('SIGKILL')
  await app.ended
  const next = await join()
  await requestTo(next)
  await until(async () => parseSeries(await scrape(next)).get(HELD) === 1)
})
