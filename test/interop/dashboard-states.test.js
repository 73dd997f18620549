'use strict'

// What the page shows of answers that a test makes up: each section, each state, errors, and how it fits.

const assert = require('node:assert/strict')
const { after, before, describe, test } = require('node:test')
const { findFindings } = require('../../lib/observer/findings/find-findings')
const { readings, spot } = require('../findings/readings')
const { IN_FLIGHT } = require('../admin/subject')
const { ANSWERS, assertFits, createBrowser, FACTS, live, loop, shown, skip, STALL, stallsAnswer } = require('./dashboard')

describe('the page before made up answers', { skip, timeout: 120_000 }, () => {
  const browser = createBrowser()
  before(browser.launch)
  after(browser.close)

  const SICK = findFindings(readings({ activity: { hotSpots: [spot({ culprit: { ...STALL.culprit }, stalls: { count: 4, ms: 9000, longestMs: 3000 } })] } }), { appName: 'shop' })
  const SLOW = { at: Date.now(), route: 'GET /', status: 200, durationMs: 500, ownMs: 10, behindMs: 480, unreadMs: 0, behind: [{ route: 'POST /login', ms: 480 }], gcMs: 0, waitingMs: 10, waits: [], steps: [], traceId: 'abc123' }
  const WAIT = { function: 'loadOrders', file: 'orders.js', line: 21, column: 3, requests: 40, ms: 2400 }
  const WAITS = {
    seconds: null,
    seen: null,
    sampled: 40,
    seesCallbacks: false,
    isStale: false,
    routes: [{
      route: 'GET /orders/:id',
      requests: 40,
      open: 0,
      truncated: 0,
      totalMs: 4000,
      waitingMs: 3800,
      unseenMs: 400,
      clientMs: 0,
      uploadMs: 0,
      lines: [{ ...WAIT, awaited: 'pg-pool', via: 'knex', callers: [], waits: 80, queuedMs: 80, share: 0.6, p50Ms: 58, p99Ms: 91, maxMs: 95 }, { ...WAIT, line: 30, awaited: null, via: null, callers: [], waits: 40, queuedMs: 0, share: 0.001, ms: 4, p50Ms: 0.1, p99Ms: 0.1, maxMs: 0.1 }],
      serial: [{ ...WAIT, function: 'handler', awaits: 3, maxAwaits: 4 }]
    }]
  }
  const noneOf = async (page, selector) => assert.equal(await page.locator(selector).count(), 0)

  test('a finding opens its evidence, its flame graph, its stack, its stalls and its requests', async t => {
    const asked = []
    const graph = { unit: 'time', frames: [['(root)', '', 'all'], ['login', 'routes/login.js:12', 'app']], nodes: [[-1, 0, 1000, 0], [0, 1, 1000, 1000]], fromMs: 0, toMs: 1000, notes: [] }
    const { page, complaints } = await browser.openCanned(t, {
      '/findings': SICK,
      '/stalls': stallsAnswer([STALL, { ...STALL, id: 8 }]),
      '/slow-requests': { isStale: false, requests: [SLOW] },
      '/cpu': request => {
        asked.push(new URL(request.url()).searchParams.get('route'))
        return graph
      },
      '/stalls/7/cpu': graph
    })
    const finding = page.locator('#findings > li > details[open]')
    await finding.waitFor()
    assert.match(await finding.locator('dl').textContent(), /Fix.*Where.*login \(routes\/login\.js:12\).*Evidence.*Confidence/)
    await finding.getByText('2 recorded stalls').click()
    await finding.locator('button.link').first().click()
    await page.locator('#flame-title', { hasText: /^Stall at .*300 ms/ }).waitFor()
    assert.equal(await page.locator('#findings-section + #flame-panel').count(), 1)
    await finding.getByText('1 slow request it caused or delayed').click()
    await finding.getByText('waited 480 ms behind POST /login').waitFor()
    await finding.getByText('Stack, innermost first').click()
    await finding.locator('.stack strong', { hasText: 'login (routes/login.js:12)' }).waitFor()
    await finding.getByRole('button', { name: 'Flame graph of POST /login' }).click()
    await page.locator('#flame-title', { hasText: 'POST /login' }).waitFor()
    assert.deepEqual(asked, ['POST /login'])
    assert.deepEqual(complaints, [])
  })

  test('requests of a route that were slow together are one row, those of another route or time are not', async t => {
    const requests = [SLOW, { ...SLOW, at: SLOW.at + 40, durationMs: 460 }, { ...SLOW, at: SLOW.at + 100, durationMs: 400 }, { ...SLOW, at: SLOW.at - 5000, durationMs: 350 }, { ...SLOW, route: 'GET /health', durationMs: 340 }]
    const { page, complaints } = await browser.openCanned(t, { '/slow-requests': { isStale: false, requests } })
    await page.locator('#slow tbody tr').first().waitFor()
    assert.deepEqual(await page.locator('#slow tbody tr').evaluateAll(rows => rows.map(row => /\d+ more at the same time: .*? ms$/.exec(row.querySelector('.wide').innerText.trim())?.[0] ?? '')), ['2 more at the same time: 400 ms to 460 ms', '', ''])
    assert.deepEqual(complaints, [])
  })

  test('worker threads have a section where there are any: how busy, in which function, their stalls', async t => {
    const top = { function: 'resize', file: 'image.js', line: 12, column: 1 }
    const threads = [{ id: 3, name: 'worker 3 (image.js)', problem: null, observedMs: 60_000, busyMs: 24_000, longestMs: 1500, stalls: 9, top }]
    const stalls = [{ at: Date.now(), durationMs: 1500, cause: 'code', culprit: top, stack: [], thread: { id: 3, name: 'worker 3 (image.js)' } }]
    const load = { ms: 60_000, workerMs: 30_000, poolMs: 0, peak: 1, isPoolApart: true, busiest: [] }
    const { page, complaints } = await browser.openCanned(t, { '/threads': { off: null, unwatched: 0, threads, stalls, load } })
    await page.locator('#threads', { hasText: /worker 3 \(image\.js\).*40 %.*resize \(image\.js:12\)/ }).waitFor()
    await page.locator('#thread-stalls', { hasText: 'resize (image.js:12)' }).waitFor()
    assert.deepEqual(complaints, [])
    const healthy = await browser.openCanned(t, {})
    await healthy.page.locator('#findings > li').first().waitFor()
    assert.equal(await healthy.page.locator('#threads-section').isVisible(), false)
  })

  test('requests under way are shown with what each does or waits for, as text', async t => {
    const [first] = IN_FLIGHT.requests
    const evil = '<img src=x onerror=alert(1)>'
    const { page, complaints } = await browser.openCanned(t, { '/requests': { ...IN_FLIGHT, total: 140, requests: [...IN_FLIGHT.requests, { ...first, route: `GET /${evil}` }] } })
    await shown(page)
    await page.locator('#in-flight tbody tr').nth(3).waitFor()
    assert.deepEqual(await page.locator('#in-flight tbody tr').first().locator('td').allTextContents(), ['GET /orders/:id', '5.2 s', 'waiting for redis GET 127.0.0.1:6379 for 5100 ms', 'gone'])
    assert.equal(await page.locator('#in-flight tbody tr strong').textContent(), 'running checkPassword (app.js:8), calling pbkdf2Sync')
    assert.match(await page.locator('#in-flight-note').textContent(), /^140 under way, the oldest 4 listed\. 1 upgraded connection, .* blocked for 350 ms by POST \/login: checkPassword/)
    await noneOf(page, 'img')
    const stale = await browser.openCanned(t, { '/requests': { ...IN_FLIGHT, isStale: true, at: null, running: null, total: 0, upgraded: 0, requests: [] } })
    await stale.page.locator('#in-flight-note', { hasText: 'cannot be interrupted: nothing was read before' }).waitFor()
    assert.deepEqual([complaints, stale.complaints], [[], []])
  })

  test('where requests wait is shown by route and line; all can be sampled for ten seconds', async t => {
    const asked = []
    const { page, complaints } = await browser.openCanned(t, {
      '/waits': request => {
        const { search } = new URL(request.url())
        asked.push(search)
        return search === '' ? WAITS : { ...WAITS, seconds: 10, seen: 90, sampled: 80 }
      }
    })
    await page.locator('#waits', { hasText: /GET \/orders\/:id.*95 %.*2\.0 %.*10 %.*loadOrders \(orders\.js:21\).*pg-pool \(knex\).*60 %.*58 ms.*91 ms.*handler \(orders\.js:21\): 3 awaits in a row, 60 ms a request/ }).waitFor()
    assert.equal(await page.locator('#waits tr.detail tbody tr').count(), 1, 'less than half a percent is not shown')
    await page.locator('#waits-note', { hasText: 'A sample of the last 15 minutes: 40 requests.' }).waitFor()
    await page.locator('#waits-sample').click()
    await page.locator('#waits-note', { hasText: 'A sample of 10 seconds: 80 of 90 requests.' }).waitFor()
    assert.deepEqual([asked[0], asked.at(-1)], ['', '?seconds=10'])
    assert.deepEqual(complaints, [])
  })

  test('the lines that keep memory are shown as found last, and sampled on request', async t => {
    const asked = []
    const site = { kind: 'heap', thread: null, function: 'row', file: 'cart.js', line: 4, column: 3, caller: null, through: null, route: 'POST /cart', holder: 'Map', keptAt: null, bytes: 3e6, samples: 40, byBirth: [1, 1, 1, 1, 1, 1], verdict: 'stays', bytesPerMinute: 9e6, bytesPerRequest: 2000 }
    const sites = toMs => ({ pid: 77, reason: toMs === 1e12 ? 'growth' : 'asked', fromMs: toMs - 60_000, toMs, isArmed: false, intervals: [10], sites: [{ ...site, keptAt: toMs === 1e12 ? null : { file: 'cart.js', line: 8, text: 'carts.set(id, row)' } }], heap: null, buffers: null, notes: [], ownMs: 9 })
    const { page, complaints } = await browser.openCanned(t, {
      '/memory': { ...ANSWERS['/memory'], sitesAt: 1e12 },
      '/memory/sites': request => {
        const { search } = new URL(request.url())
        asked.push(search)
        return sites(search === '' ? 1e12 : 2e12)
      }
    })
    await page.locator('#sites', { hasText: /row \(cart\.js:4\).*POST \/cart.*objects \(Map\).*9\.0 MB\/min.*2\.0 kB.*stays/ }).waitFor()
    await page.locator('#sites-note', { hasText: 'because memory grew' }).waitFor()
    await page.locator('#sites-sample').click()
    await page.locator('#sites', { hasText: 'probably kept at cart.js:8' }).waitFor()
    assert.deepEqual(asked, ['', '?seconds=60'])
    assert.deepEqual(complaints, [])
  })

  test('memory has its owners with their colors, what grows, and a chart once there are two points', async t => {
    const { page, complaints } = await browser.openCanned(t, {})
    await page.locator('#owners', { hasText: /Buffers.*75 %.*12\.5 MB\/min.*JavaScript heap, in use/ }).waitFor()
    await page.locator('#memory-chart canvas').waitFor()
    await page.locator('#memory-span').selectOption('day')
    await page.locator('#memory-summary', { hasText: 'No history yet' }).waitFor()
    assert.equal(await page.locator('#memory-chart').isVisible(), false)
    assert.deepEqual(complaints, [])
  })

  for (const [width, colorScheme] of [[390, 'light'], [1024, 'dark'], [1440, 'light']]) {
    test(`fits ${width} pixels, ${colorScheme}, with ten thousand stalls, and keeps their names text`, async t => {
      const evil = '<img src=x onerror=alert(1)>'
      const stalls = Array.from({ length: 10_000 }, (_, id) => ({ ...STALL, id, route: `GET /${evil}/${id % 40}`, culprit: { ...STALL.culprit, function: `${evil}${'x'.repeat(80)}` } }))
      const { page, complaints } = await browser.openCanned(t, { '/stalls': stallsAnswer(stalls), '/findings': SICK, '/slow-requests': { isStale: false, requests: [SLOW] }, '/requests': IN_FLIGHT, '/waits': { ...WAITS, routes: [{ ...WAITS.routes[0], route: `GET /${evil}/${'x'.repeat(80)}` }] } }, { viewport: { width, height: 800 }, colorScheme })
      await shown(page)
      const more = page.locator('#stalls > button.more')
      await more.waitFor()
      assert.equal(await more.textContent(), 'Show 15 of 25 more')
      await more.click()
      assert.equal(await page.locator('#stalls > .scroll > table > tbody > tr').count(), 30)
      await page.locator('#stalls button.opener').first().click()
      const detail = page.locator('#stalls tr.detail')
      assert.equal(await detail.locator('tbody > tr').count(), 20)
      await detail.locator('button.more').click()
      assert.equal(await detail.locator('tbody > tr').count(), 40)
      await noneOf(page, 'img')
      assert.ok((await page.locator('#stalls').textContent()).includes(evil))
      await page.locator('#slow td').first().waitFor()
      await page.locator('#in-flight td').first().waitFor()
      await page.locator('#waits td').first().waitFor()
      await assertFits(page)
      assert.deepEqual(complaints, [])
    })
  }

  test('a time that the recorder does not hold cannot be chosen', async t => {
    const { page, complaints } = await browser.openCanned(t, { '/cpu': 404 })
    await shown(page)
    await page.locator('#from[min]').waitFor()
    await page.locator('#range-note', { hasText: /^The recorder holds .* 1 min/ }).waitFor()
    const [least, most] = await page.locator('#from').evaluate(input => [input.min, input.max])
    const early = new Date(Date.now() - 3_600_000).toTimeString().slice(0, 8)
    await page.locator('#from').fill(early)
    await page.locator('#to').focus()
    await page.locator('#range-moved', { hasText: 'Moved to' }).waitFor()
    assert.ok(await page.locator('#from').inputValue() >= least)
    await page.locator('#chart-span').focus()
    const chart = await page.locator('#delay-chart .u-over').boundingBox()
    await page.mouse.move(chart.x + chart.width * 0.5, chart.y + 20)
    await page.mouse.down()
    await page.mouse.move(chart.x + chart.width * 0.8, chart.y + 20, { steps: 5 })
    await page.mouse.up()
    assert.ok(await page.locator('#to').inputValue() <= most)
    assert.deepEqual(complaints, [])
  })

  test('an error is shown beside its control, and stays until it is dismissed', async t => {
    const { page } = await browser.openCanned(t, { '/cpu': 404, '/captures': request => request.method() === 'POST' ? 507 : { captures: [] }, '/sync-calls': 500 })
    await shown(page)
    await page.locator('#range button[value=flame]').click()
    const problem = page.locator('#range .problem', { hasText: 'Refused: 404.' })
    await problem.waitFor()
    await page.getByRole('button', { name: 'CPU profile of the next 10 s' }).click()
    await page.locator('[data-problems=captures] .problem', { hasText: 'Refused: 507.' }).waitFor()
    await page.locator('[data-problems=sync] .problem').waitFor()
    assert.equal(await problem.isVisible(), true)
    await problem.getByRole('button', { name: 'Dismiss' }).click()
    await problem.waitFor({ state: 'detached' })
    await page.locator('[data-problems=captures] .problem').waitFor()
  })

  test('says what an address without an answer means, and tries again', async t => {
    let index = 404
    const { page } = await browser.openCanned(t, { '/': () => index })
    await page.locator('#failed', { hasText: 'In production the page does not exist until a token is set' }).waitFor()
    index = { facts: FACTS, kinds: [], endpoint: 'listener' }
    await page.getByRole('button', { name: 'Try again' }).click()
    await shown(page)
  })

  test('shows since when nothing answers, and what else to try where the application itself would answer', async t => {
    const { page } = await browser.openCanned(t, { '/': { facts: FACTS, kinds: [], endpoint: 'mount' }, '/live': 503, '/loop': 503 })
    await shown(page)
    await page.locator('#connection', { hasText: /^No response since .* npx loopscope why/ }).waitFor()
  })

  test('asks for the token again when the process was started anew', async t => {
    let isNew = false
    const { page } = await browser.openCanned(t, { '/live': () => isNew ? 401 : live(['loop', loop()]), '/loop': () => isNew ? 401 : loop() })
    await shown(page)
    await page.locator('#now dd').first().waitFor()
    isNew = true
    await page.locator('#sign-in', { hasText: 'The token is no longer valid' }).waitFor()
    assert.equal(await page.locator('main').isHidden(), true)
  })

  test('the processes of the group stand beside each other, with which are blocked or missing, and what is wrong with each', async t => {
    const process = (pid, more = {}) => ({ pid, id: `${pid}-1-1`, up: true, problem: null, isStale: false, ...more })
    const member = (pid, more = {}) => ({ pid, id: `${pid}-1-1`, appName: 'shop', instance: String(pid % 10), startedAt: Date.now(), up: true, blockedMs: 0, delay: { utilization: 0.25, p99Ms: 12 }, rssBytes: 8e7, heapUsedBytes: 3e7, stalls: 2, stalledMs: 300, ...more })
    const group = {
      group: 'shop',
      processes: [process(4242), process(4243), process(4244, { up: false, problem: 'no answer in 2.5 s' })],
      members: [member(4242), member(4243, { blockedMs: 4000 }), member(4244, { up: false, delay: null, rssBytes: null, stalls: null, stalledMs: null, blockedMs: null })]
    }
    const { page, complaints } = await browser.openCanned(t, {
      '/': { facts: { ...FACTS, isInGroup: true }, kinds: [], endpoint: 'listener' },
      '/group': group,
      '/group/findings': { findings: SICK.findings.map(finding => ({ ...finding, workers: { pids: [4243], of: 2 } })) }
    }, { viewport: { width: 390, height: 800 } })
    await page.locator('#group td', { hasText: SICK.findings[0].title }).waitFor()
    const rows = await page.locator('#group tbody tr').allTextContents()
    assert.deepEqual(rows.map(row => /OK|BLOCKED for 4\.0 s|no answer in 2\.5 s/.exec(row)[0]), ['OK', 'BLOCKED for 4.0 s', 'no answer in 2.5 s'])
    assert.match(rows[0], /^4242, worker 2 \(this page\)/)
    assert.deepEqual(rows.map(row => row.includes(SICK.findings[0].title)), [false, true, false])
    await page.locator('#group-summary', { hasText: '2 of 3 processes answered; 1 did not: 4244' }).waitFor()
    await assertFits(page)
    assert.deepEqual(complaints, [])
  })

  test('while the main thread does not answer, figures are of then', async t => {
    const blocked = loop({ isStale: true, blockedMs: 5000, requests: null, answeredAt: Date.now() - 5000 })
    const { page, complaints } = await browser.openCanned(t, { '/loop': blocked, '/live': live(['loop', blocked], ['stuck', { at: Date.now() - 5000, durationMs: 5000, route: 'GET /spin', culprit: STALL.culprit, stack: [] }]) })
    await page.locator('#stuck', { hasText: 'in GET /spin: login (routes/login.js:12), calling pbkdf2Sync.' }).waitFor()
    await page.locator('#now', { hasText: 'has not responded since' }).waitFor()
    assert.deepEqual(complaints, [])
  })

  test('marks are lines with their text, delays have a scale, and terms are explained', async t => {
    const marks = [{ at: Date.now() - 20_000, text: 'deploy 42' }]
    const { page, complaints } = await browser.openCanned(t, { '/loop': () => loop({ marks }), '/live': () => live(['mark', { at: Date.now(), text: 'flag <b>on</b>' }], ['loop', loop()]) })
    await page.locator('#marks li', { hasText: 'deploy 42' }).waitFor()
    await page.locator('#marks li', { hasText: 'flag <b>on</b>' }).first().waitFor()
    await page.locator('#delay-summary', { hasText: 'Longest: 20.0 s' }).waitFor()
    await page.locator('#chart-span').selectOption('600')
    const word = page.locator('#now-title ~ .words summary', { hasText: 'Utilization' })
    await word.focus()
    await page.keyboard.press('Enter')
    await page.getByText('The share of time in which the event loop was busy').waitFor()
    assert.deepEqual(complaints, [])
  })

  test('a process without traffic says so in each section', async t => {
    const { page, complaints } = await browser.openCanned(t)
    for (const text of ['No significant problem found', 'No stalls since the process started.', 'No route has blocked the event loop.', 'No synchronous call took 1 ms or more.', 'No slow requests in', 'No request is under way.', 'No artifacts.']) {
      await page.getByText(text).first().waitFor()
    }
    assert.deepEqual(complaints, [])
  })
})
