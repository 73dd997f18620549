/* global document, loopscope -- inside page.evaluate() */
'use strict'

// The page of the admin surface in a real browser, before a real application; what a browser complains of fails the test, a
// violation of the page's policy too.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { after, before, describe, test } = require('node:test')
const { get, recorded, run, TOKEN } = require('../admin/running')
const { STALL } = require('../admin/subject')

const CHROMIUM = '/usr/bin/chromium'
const skip = fs.existsSync(CHROMIUM) ? false : 'chromium is not installed'
const ARGS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']

describe('the page of the admin surface', { skip, timeout: 180_000 }, () => {
  let browser

  before(async () => { browser = await require('playwright-core').chromium.launch({ executablePath: CHROMIUM, args: ARGS }) })
  after(() => browser?.close())

  /** @param {any} t */
  async function open (t, { token = TOKEN, browserOptions = {}, prepare = async () => {} } = {}) {
    const app = await run(t)
    const url = await app.listenerUrl()
    await recorded(url)
    const context = await browser.newContext({ reducedMotion: 'reduce', acceptDownloads: true, ...browserOptions })
    const page = await context.newPage()
    const complaints = []
    page.on('console', message => complaints.push(message.text()))
    page.on('pageerror', error => complaints.push(error.message))
    await prepare(page)
    await page.goto(`${url}/${token === null ? '' : `#token=${token}`}`)
    t.after(() => context.close())
    return { app, url, page, complaints }
  }

  const shown = page => page.locator('main:not([hidden])').waitFor()

  /** A stall of the route, opened; another one when the first came too early to be recorded. */
  async function openStall (app, page, act) {
    for (;;) {
      await get(`${app.url}/auth`)
      const link = page.locator('#stalls tr', { hasText: 'GET /auth' }).locator('button.link').first()
      await link.waitFor()
      await act(link)
      await page.locator('#flame g.frame, #flame p.quiet').first().waitFor()
      if (await page.locator('#flame g.frame').count() > 0) return
    }
  }

  test('shows the loop, a stall with its flame graph, routes and synchronous calls', async t => {
    const { app, page, complaints } = await open(t)
    await shown(page)
    assert.equal(new URL(page.url()).hash, '')
    await openStall(app, page, link => link.click())
    assert.match(await page.locator('#flame-title').textContent(), /in GET \/auth$/)
    assert.match(await page.locator('#flame').textContent(), /pbkdf2Sync/)
    assert.match(await page.locator('#stack').textContent(), /app\.js/)
    assert.match(await page.locator('#routes').textContent(), /GET \/auth/)
    await page.locator('#sync td', { hasText: 'pbkdf2Sync' }).first().waitFor()
    assert.match(await page.locator('#memory').textContent(), /old_space/)
    assert.ok(await page.locator('#delay-chart canvas').count() > 0)
    assert.deepEqual(complaints, [])
  })

  test('answers to the keyboard alone', async t => {
    const { app, page, complaints } = await open(t)
    await shown(page)
    await openStall(app, page, async link => {
      await link.focus()
      await page.keyboard.press('Enter')
    })
    const frame = page.locator('#flame g.frame[aria-label*="pbkdf2Sync"]').first()
    await frame.focus()
    assert.match(await page.locator('#flame-detail').textContent(), /pbkdf2Sync/)
    await page.keyboard.press('Enter')
    await page.locator('#flame-reset').press('Enter')
    await page.locator('#flame-close').press('Enter')
    assert.equal(await page.locator('#flame-panel').isHidden(), true)
    assert.deepEqual(complaints, [])
  })

  test('cuts a stretch of time, as a graph and as a file of each format', async t => {
    const { page, complaints } = await open(t)
    await shown(page)
    await page.getByRole('button', { name: 'Flame graph' }).click()
    await page.locator('#flame-panel:not([hidden])').waitFor()
    for (const format of ['cpuprofile', 'pprof', 'flamegraph', 'text']) {
      await page.locator('#range-format').selectOption(format)
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download', exact: true }).first().click()])
      assert.match(download.suggestedFilename(), /^cpu-\d{8}t/)
      assert.ok(fs.statSync(await download.path()).size > 0)
    }
    const chart = await page.locator('#delay-chart .u-over').boundingBox()
    const [from] = [await page.locator('#from').inputValue()]
    await page.mouse.move(chart.x + chart.width * 0.2, chart.y + 20)
    await page.mouse.down()
    await page.mouse.move(chart.x + chart.width * 0.8, chart.y + 20, { steps: 5 })
    await page.mouse.up()
    assert.notEqual(await page.locator('#from').inputValue(), from)
    assert.deepEqual(complaints, [])
  })

  test('captures, stops, cancels, downloads and deletes', async t => {
    const { page, complaints } = await open(t)
    await shown(page)
    await page.getByRole('button', { name: 'CPU profile of the next 10 s' }).click()
    await page.getByRole('button', { name: 'Stop and keep' }).click()
    await page.locator('#captures td', { hasText: 'succeeded' }).waitFor()
    await page.getByRole('button', { name: 'CPU profile of the next 10 s' }).click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.locator('#captures td', { hasText: 'cancelled' }).waitFor()
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#artifacts').getByRole('button', { name: 'Download' }).click()])
    assert.ok(JSON.parse(fs.readFileSync(await download.path(), 'utf8')).nodes.length > 0)
    await page.locator('#artifacts').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('The store is empty.').waitFor()
    assert.deepEqual(complaints, [])
  })

  test('compares two heap snapshots, and gives the report as a page', async t => {
    const { page, complaints } = await open(t)
    await shown(page)
    for (let count = 0; count < 2; count++) {
      const job = await page.evaluate(async () => {
        const { json } = loopscope.session
        const { id } = await json('/captures', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ kind: 'heap-snapshot', force: true }) })
        for (;;) {
          const job = await json(`/captures/${id}`)
          if (job.endedAt !== null) return job
        }
      })
      assert.equal(job.state, 'succeeded', job.problem?.detail)
    }
    await page.reload()
    await shown(page)
    await page.locator('#compare:not([hidden])').waitFor()
    await page.getByRole('button', { name: 'Compare', exact: true }).click()
    await page.locator('#compare-result', { hasText: /^Heap \d+\.\d → \d+\.\d MB\./ }).waitFor()
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Report with all classes' }).click()])
    assert.equal(download.suggestedFilename(), 'heap-comparison.html')
    assert.match(fs.readFileSync(await download.path(), 'utf8'), /<h1>Heap \d/)
    assert.deepEqual(complaints, [])
  })

  test('asks for a token when it has none or a wrong one', async t => {
    const { page } = await open(t, { token: null })
    await page.locator('#sign-in:not([hidden])').waitFor()
    assert.equal(await page.locator('main').isHidden(), true)
    await page.getByLabel('Token').fill('wrong-token-of-at-least-thirty-two-chars')
    await page.keyboard.press('Enter')
    await page.getByText('The token is not known.').waitFor()
    await page.getByLabel('Token').fill(TOKEN)
    await page.keyboard.press('Enter')
    await shown(page)
    await page.reload()
    await shown(page)
  })

  test('says that the loop is blocked while it is, and what blocks it', async t => {
    const { app, page, complaints } = await open(t)
    await shown(page)
    const stop = path.join(app.folder, 'stop')
    const spinning = get(`${app.url}/spin?until=${stop}`)
    await page.locator('#stuck:not([hidden])', { hasText: 'GET /spin' }).waitFor()
    await page.getByRole('button', { name: 'Flame graph' }).click()
    await page.locator('#flame-panel:not([hidden])').waitFor()
    fs.writeFileSync(stop, '')
    await spinning
    await page.locator('#stuck[hidden]').waitFor({ state: 'attached' })
    await page.locator('#stalls td', { hasText: 'GET /spin' }).waitFor()
    assert.deepEqual(complaints, [])
  })

  for (const [width, colorScheme] of [[360, 'light'], [1400, 'dark']]) {
    test(`fits ${width} pixels, ${colorScheme}, with ten thousand stalls, and keeps their names text`, async t => {
      const evil = '<img src=x onerror=alert(1)>'
      const stalls = Array.from({ length: 10_000 }, (_, index) => ({ ...STALL, id: index, route: `GET /${evil}`, culprit: { ...STALL.culprit, function: evil } }))
      const totals = { count: 10_000, blockedMs: 3e6, byCause: [], byRoute: [{ route: evil, count: 10_000, ms: 3e6 }] }
      const prepare = page => page.route('**/stalls', route => route.fulfill({ json: { stalls, current: null, totals, blockedMs: 0 } }))
      const { page, complaints } = await open(t, { browserOptions: { viewport: { width, height: 800 }, colorScheme }, prepare })
      await shown(page)
      await page.getByText('Show 50 more of 10000').waitFor()
      assert.equal(await page.locator('#stalls tbody tr').count(), 50)
      await page.getByText('Show 50 more of 10000').click()
      assert.equal(await page.locator('#stalls tbody tr').count(), 100)
      assert.equal(await page.locator('img').count(), 0)
      assert.ok((await page.locator('#stalls').textContent()).includes(evil))
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth), 'nothing sticks out')
      assert.deepEqual(complaints, [])
    })
  }
})
