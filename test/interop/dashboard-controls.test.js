'use strict'

// The controls of the page: links, sorting, the list of sections, the views of a flame graph, and a heap snapshot that was refused.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const { after, before, describe, test } = require('node:test')
const { describeTimes } = require('../../lib/formats/flamegraph/graph')
const { buildCallTree, buildTimeOrder } = require('../../lib/formats/profile/call-tree')
const { findFindings } = require('../../lib/observer/findings/find-findings')
const { IN_FLIGHT } = require('../admin/subject')
const { readings, spot } = require('../findings/readings')
const { craft } = require('../fixtures/profiles/profiles')
const { assertFits, createBrowser, get, live, loop, shown, skip, STALL, stallsAnswer, TOKEN } = require('./dashboard')

describe('controls of the page', { skip, timeout: 120_000 }, () => {
  const browser = createBrowser()
  before(browser.launch)
  after(browser.close)

  const SICK = findFindings(readings({ activity: { hotSpots: [spot({ culprit: { ...STALL.culprit } })] } }), { appName: 'shop' })
  const PROFILE = craft([[['serve', 'login'], 200_000], [['serve', 'report'], 100_000], [['serve', 'login'], 300_000], [['tick', 'login'], 50_000]])
  const GRAPH = { ...describeTimes(buildCallTree(PROFILE)), fromMs: 0, toMs: 650, notes: [] }
  const ORDERED = { ...describeTimes(buildTimeOrder(PROFILE)), isOrdered: true }
  const graphOf = request => new URL(request.url()).searchParams.get('order') === 'time' ? ORDERED : GRAPH
  const STALLS = stallsAnswer([STALL, { ...STALL, id: 8, durationMs: 420, evidence: { runQueueMs: 300 } }])
  const hashOf = page => Object.fromEntries(new URLSearchParams(new URL(page.url()).hash.slice(1)))
  const frame = (page, name, below = '#flame .frames') => page.locator(`${below} g.frame[aria-label^="${name},"]`)

  test('a stall, a finding and a time range have links, which open them', async t => {
    const answers = { '/stalls': STALLS, '/findings': SICK, '/cpu': graphOf, '/stalls/7/cpu': graphOf }
    const { page, complaints } = await browser.openCanned(t, answers, {}, '#stall=7')
    await page.locator('#flame-title', { hasText: /^Stall at .*300 ms/ }).waitFor()
    await page.locator('#flame-panel').getByRole('button', { name: 'Copy link' }).click()
    assert.deepEqual(hashOf(page), { stall: '7', at: String(STALL.at) })
    await page.getByRole('button', { name: 'The link is in the address bar' }).waitFor()

    const finding = page.locator('#findings details.finding').first()
    await finding.getByRole('button', { name: 'Copy link' }).click()
    const link = page.url()
    assert.match(decodeURIComponent(link), /#finding=\S+ .*login \(routes\/login\.js:12\)/)
    await page.goto('about:blank')
    await page.goto(link)
    await page.locator('#findings summary:focus', { hasText: 'pbkdf2Sync' }).waitFor()

    await page.evaluate(() => { location.hash = 'from=1000&to=2000&route=POST%20%2Flogin' }) // eslint-disable-line no-undef
    await page.locator('#flame-title', { hasText: 'POST /login' }).waitFor()
    await page.locator('#flame-panel').getByRole('button', { name: 'Copy link' }).click()
    assert.deepEqual(hashOf(page), { from: '1000', to: '2000', route: 'POST /login' })
    assert.deepEqual(complaints, [])
  })

  test('a link to what is not there any more says so', async t => {
    const { page } = await browser.openCanned(t, { '/stalls': STALLS, '/findings': SICK }, {}, '#stall=99')
    await page.locator('[data-problems=stalls]', { hasText: 'Stall 99 is not here: the process keeps the last 200' }).waitFor()
    for (const [hash, text] of [[`stall=7&at=${STALL.at - 1}`, /Stall 7 of .* is not here/], ['finding=leak x', /The finding leak is not present now/]]) {
      await page.evaluate(one => { location.hash = one }, hash) // eslint-disable-line no-undef
      await page.locator('.problem', { hasText: text }).waitFor()
    }
  })

  test('a link is kept while the page asks for a token', async t => {
    const { app, page } = await browser.open(t, { token: null, browserOptions: { permissions: ['clipboard-read', 'clipboard-write'] } })
    const url = new URL(page.url()).origin
    let stall
    do {
      await get(`${app.url}/auth`)
      const { stalls } = await (await get(`${url}/stalls`)).json()
      stall = stalls.find(({ route }) => route === 'GET /auth')
    } while (stall === undefined)
    await page.goto('about:blank')
    await page.goto(`${url}/#stall=${stall.id}`)
    await page.locator('#sign-in:not([hidden])').waitFor()
    await page.getByLabel('Token').fill(TOKEN)
    await page.keyboard.press('Enter')
    await page.locator('#flame-title', { hasText: /^Stall at/ }).waitFor()
    await page.locator('#flame-panel').getByRole('button', { name: 'Copy link' }).click()
    await page.getByRole('button', { name: 'Link copied' }).waitFor()
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${url}/#stall=${stall.id}&at=${stall.at}`)
  })

  test('the charts and figures begin with what the server has, not with the visit', async t => {
    const { page, complaints } = await browser.openCanned(t, { '/live': live(['mark', { at: Date.now(), text: 'x' }]) })
    await page.locator('#now', { hasText: /Utilization25 %Requests per second1\.0In flight2/ }).waitFor()
    assert.deepEqual(complaints, [])
  })

  test('tables sort by their columns, with the keyboard too, and stay sorted', async t => {
    const byRoute = [{ route: 'GET /b', count: 1, ms: 900 }, { route: 'GET /a', count: 5, ms: 300 }, { route: 'GET /c', count: 3, ms: 100 }]
    const captures = [3, 1, 2].map(id => ({ id: String(id), kind: 'cpu', state: 'succeeded', startedAt: id * 1000, endedAt: 10_000, label: null, progress: null, problem: null }))
    const { page, complaints } = await browser.openCanned(t, { '/stalls': { ...STALLS, totals: { ...STALLS.totals, byRoute } }, '/requests': IN_FLIGHT, '/captures': { captures } })
    const columnOf = (id, column) => page.locator(`#${id} tbody tr td:nth-child(${column})`).allTextContents()
    const head = (id, name) => page.locator(`#${id} th`, { has: page.getByRole('button', { name }) })
    await page.locator('#routes tbody tr').nth(2).waitFor()
    assert.deepEqual(await columnOf('routes', 1), ['GET /b', 'GET /a', 'GET /c'])
    assert.equal(await head('routes', 'Stalls').getAttribute('aria-sort'), 'none')
    await head('routes', 'Stalls').getByRole('button').focus()
    await page.keyboard.press('Enter')
    assert.deepEqual(await columnOf('routes', 2), ['5', '3', '1'])
    assert.equal(await head('routes', 'Stalls').getAttribute('aria-sort'), 'descending')
    await page.keyboard.press('Enter') // the button keeps the focus
    assert.deepEqual(await columnOf('routes', 2), ['1', '3', '5'])
    await head('routes', 'Route').getByRole('button').click()
    assert.deepEqual(await columnOf('routes', 1), ['GET /a', 'GET /b', 'GET /c'])
    await head('in-flight', 'Age').getByRole('button').click()
    await head('in-flight', 'Age').getByRole('button').click()
    assert.deepEqual(await columnOf('in-flight', 2), ['360 ms', '400 ms', '5.2 s'])
    await head('captures', 'Took').getByRole('button').click()
    assert.deepEqual(await columnOf('captures', 4), ['9.0 s', '8.0 s', '7.0 s'])
    assert.deepEqual(complaints, [])
  })

  test('the list of sections stays in sight and leads to each, except for those that are not there', async t => {
    const { page, complaints } = await browser.openCanned(t, {}, { viewport: { width: 390, height: 800 } })
    await shown(page)
    const list = page.getByRole('navigation', { name: 'Sections of this page' })
    assert.equal(await list.getByText('Threads').isVisible(), false)
    await list.getByText('Memory').click()
    assert.equal(await page.locator('#memory-title:focus').count(), 1)
    assert.ok((await list.boundingBox()).y >= 0)
    const { y } = await page.locator('#memory-title').boundingBox()
    assert.ok(y > 0 && y < 400, `the title is at ${y}`)
    await list.locator('[aria-current]', { hasText: 'Memory' }).waitFor()
    await assertFits(page)
    assert.deepEqual(complaints, [])
  })

  test('a flame graph opens in view, is searched with / from anywhere, and downloads', async t => {
    const asked = []
    const { page, complaints } = await browser.openCanned(t, {
      '/cpu': request => {
        const query = new URL(request.url()).searchParams
        asked.push(query.get('format'))
        return graphOf(request)
      }
    }, { viewport: { width: 1024, height: 700 } })
    await shown(page)
    await page.locator('#range button[value=flame]').click()
    await frame(page, 'serve').waitFor()
    const { y } = await frame(page, 'serve').boundingBox()
    assert.ok(y > 0 && y < 700, `the graph is at ${y}`)
    await page.locator('#stalls-title').evaluate(title => {
      title.tabIndex = -1
      title.focus()
    })
    await page.keyboard.press('/')
    await page.keyboard.type('report')
    await page.locator('#flame .matches', { hasText: '15.4 % in 1 frame' }).waitFor()
    await page.locator('#flame-panel').getByLabel('Format of the file').selectOption('text')
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#flame-panel').getByRole('button', { name: 'Download' }).click()])
    assert.ok(fs.statSync(await download.path()).size > 0)
    assert.deepEqual([asked[0], asked.at(-1)], ['graph', 'text'])
    assert.deepEqual(complaints, [])
  })

  test('a flame graph also shows the callers and callees of a function, and the order of time', async t => {
    const { page, complaints } = await browser.openCanned(t, { '/cpu': graphOf }, { viewport: { width: 390, height: 800 } })
    await shown(page)
    await page.locator('#range button[value=flame]').click()
    await frame(page, 'serve').waitFor()
    await page.getByLabel('View').selectOption('functions')
    const list = page.locator('.function-list')
    assert.deepEqual(await list.locator('tbody button').allTextContents(), ['login', 'report', 'serve', 'tick'])
    assert.deepEqual(await list.locator('td.number').allTextContents(), ['84.6 %', '84.6 %', '15.4 %', '15.4 %', '0.0 %', '92.3 %', '0.0 %', '7.7 %'])
    await frame(page, 'tick', '.one-function').waitFor()
    assert.match(await frame(page, 'serve', '.one-function').getAttribute('aria-label'), /500\.0 ms \(76\.9 %\)/)
    await list.getByRole('button', { name: 'serve' }).focus()
    await page.keyboard.press('Enter')
    await frame(page, 'report', '.one-function').waitFor()
    assert.equal(await frame(page, 'tick', '.one-function').count(), 0)
    await list.getByRole('button', { name: 'Total' }).click()
    assert.match(await list.locator('tbody tr').first().textContent(), /^serve/)
    await page.getByLabel('Search functions').fill('tick')
    assert.equal(await list.locator('tbody tr').count(), 1)
    await assertFits(page)
    await page.getByLabel('Search functions').fill('')
    await page.getByLabel('View').selectOption('time')
    await page.waitForFunction(() => document.querySelectorAll('#flame .frames g.frame[aria-label^="login,"]').length === 3)
    assert.equal(await page.getByLabel('Hide frameworks').isVisible(), false)
    await page.getByLabel('View').selectOption('graph')
    await page.waitForFunction(() => document.querySelectorAll('#flame .frames g.frame[aria-label^="login,"]').length === 2)
    assert.deepEqual(complaints, [])
  })

  test('a heap snapshot that was refused can be forced, beside what it would take', async t => {
    const posted = []
    const problem = { status: 507, code: 'ERR_LOOPSCOPE_SNAPSHOT_REFUSED', detail: 'refused: memory; it would take 912 MB of memory, 200 MB of disk and 4.1 s of pause.' }
    const refused = { id: 'a', kind: 'heap-snapshot', state: 'failed', startedAt: 1000, endedAt: 2000, label: null, progress: null, problem }
    const { page, complaints } = await browser.openCanned(t, {
      '/captures': request => {
        if (request.method() === 'POST') posted.push(JSON.parse(request.postData()))
        return { captures: posted.length === 0 ? [refused] : [{ ...refused, id: 'b', state: 'succeeded', problem: null }, refused] }
      }
    })
    await page.locator('#captures td', { hasText: '912 MB of memory, 200 MB of disk and 4.1 s of pause' }).waitFor()
    await page.getByRole('button', { name: 'Take it anyway' }).click()
    await page.locator('#captures td', { hasText: 'succeeded' }).waitFor()
    assert.deepEqual(posted, [{ kind: 'heap-snapshot', force: true }])
    assert.equal(await page.getByRole('button', { name: 'Take it anyway' }).count(), 0)
    assert.deepEqual(complaints, [])
  })

  test('a stall of which most was waiting for a CPU says so in its line', async t => {
    const { page, complaints } = await browser.openCanned(t, { '/stalls': STALLS, '/loop': loop() })
    await page.locator('#stalls button.opener').first().click()
    await page.locator('#stalls tr.detail td', { hasText: /^code ?waited 300 ms for a CPU$/ }).waitFor()
    assert.deepEqual(complaints, [])
  })
})
