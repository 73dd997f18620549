'use strict'

// The page of the admin surface before a real application.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { after, before, describe, test } = require('node:test')
const { buildCallTree } = require('../../lib/formats/profile/call-tree')
const { describeDifference } = require('../../lib/formats/flamegraph/difference')
const { describeTimes } = require('../../lib/formats/flamegraph/graph')
const { craft, withRoutes } = require('../fixtures/profiles/profiles')
const { assertFits, createBrowser, get, shown, skip, TOKEN } = require('./dashboard')

describe('the page of the admin surface', { skip, timeout: 180_000 }, () => {
  const browser = createBrowser()
  before(browser.launch)
  after(browser.close)

  const groupOf = (page, route) => page.locator('#stalls tr', { hasText: route }).locator('button.opener')

  /** A stall of the route, opened; another one when the first came too early to be recorded. */
  async function openStall (app, page, act) {
    for (;;) {
      await get(`${app.url}/auth`)
      const opener = groupOf(page, 'GET /auth').first()
      await opener.waitFor()
      if (await opener.getAttribute('aria-expanded') === 'false') await act(opener)
      await act(page.locator('#stalls tr.detail button.link').first())
      await page.locator('#flame g.frame, #flame p.quiet').first().waitFor()
      if (await page.locator('#flame g.frame').count() > 0) return
    }
  }

  test('shows what is wrong, the loop, a stall with its flame graph, routes and synchronous calls', async t => {
    const { app, page, complaints } = await browser.open(t)
    await shown(page)
    assert.equal(new URL(page.url()).hash, '')
    await openStall(app, page, control => control.click())
    assert.match(await page.locator('#flame-title').textContent(), /in GET \/auth$/)
    assert.match(await page.locator('#flame').textContent(), /pbkdf2Sync/)
    assert.match(await page.locator('#stack').textContent(), /app\.js/)
    assert.match(await page.locator('#routes').textContent(), /GET \/auth/)
    await page.locator('#sync td', { hasText: 'pbkdf2Sync' }).first().waitFor()
    assert.match(await page.locator('#memory').textContent(), /old_space/)
    await page.locator('#now', { hasText: /In flight\d/ }).waitFor()
    for (const name of ['delay', 'utilization', 'requests']) assert.ok(await page.locator(`#${name}-chart canvas`).count() > 0)
    await page.locator('#findings > li').first().waitFor()
    assert.deepEqual(complaints, [])
  })

  test('answers to the keyboard alone, and closing a flame graph leads back', async t => {
    const { app, page, complaints } = await browser.open(t)
    await shown(page)
    await openStall(app, page, async control => {
      await control.focus()
      await page.keyboard.press('Enter')
    })
    const frame = page.locator('#flame g.frame[aria-label*="pbkdf2Sync"]').first()
    await frame.focus()
    assert.match(await page.locator('#flame .details').textContent(), /pbkdf2Sync/)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Reset zoom' }).press('Enter')
    await page.locator('#flame-close').press('Enter')
    assert.equal(await page.locator('#flame-panel').isHidden(), true)
    assert.equal(await page.locator('#stalls tr.detail button.link:focus').count(), 1)
    assert.deepEqual(complaints, [])
  })

  test('cuts a stretch of time, as a graph and as a file of each format', async t => {
    const { page, complaints } = await browser.open(t)
    await shown(page)
    await page.locator('#range button[value=flame]').click()
    await page.locator('#flame-panel:not([hidden])').waitFor()
    for (const format of ['cpuprofile', 'pprof', 'flamegraph', 'text']) {
      await page.locator('#range-format').selectOption(format)
      const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#range button[value=download]').click()])
      assert.match(download.suggestedFilename(), /^cpu-\d{8}t/)
      assert.ok(fs.statSync(await download.path()).size > 0)
    }
    assert.equal(await page.locator('.problem').count(), 0)
    assert.deepEqual(complaints, [])
  })

  test('shows routes as the first level of a flame graph, where its samples have some', async t => {
    const labelled = withRoutes(craft([[['serve', 'login'], 200_000], [['serve', 'report'], 500_000]]), { login: 'POST /login', report: 'GET /report' })
    let graph = { ...describeTimes(buildCallTree(labelled)), fromMs: 0, toMs: 700, notes: [] }
    const { page, complaints } = await browser.openCanned(t, { '/cpu': () => graph }, { viewport: { width: 390, height: 800 } })
    await shown(page)
    const draw = () => page.locator('#range button[value=flame]').click()
    const frame = name => page.locator(`#flame g.frame[aria-label^="${name},"]`)
    await draw()
    await frame('login').waitFor()
    assert.equal(await frame('POST /login').count(), 0)
    await page.getByLabel('By route').focus()
    await page.keyboard.press('Space')
    await frame('POST /login').waitFor()
    assert.equal(await frame('serve').count(), 2)
    await assertFits(page)
    graph = { ...graph, routes: undefined }
    await draw()
    await frame('POST /login').waitFor({ state: 'detached' })
    await frame('serve').waitFor()
    assert.equal(await page.getByLabel('By route').isVisible(), false)
    assert.deepEqual(complaints, [])
  })

  test('shows what changed since the time before, and says where that is not held any more', async t => {
    const [before, after] = [craft([[['login'], 100_000], [['report'], 300_000]]), craft([[['login'], 300_000], [['report'], 10_000]])].map(profile => buildCallTree(profile))
    const times = { fromMs: 70_000, toMs: 80_000, notes: [], route: 'POST /login' }
    let held = true
    const asked = []
    const answer = request => {
      const query = new URL(request.url()).searchParams
      if (!query.has('against')) return { ...describeTimes(after), ...times }
      asked.push(Object.fromEntries(query))
      return held ? { ...describeDifference(before, after), ...times, notes: ['before: shortened'] } : 404
    }
    const { page, complaints } = await browser.openCanned(t, { '/cpu': answer }, { viewport: { width: 390, height: 800 } })
    await shown(page)
    await page.locator('#range button[value=flame]').click()
    const login = page.locator('#flame g.frame[aria-label^="login,"]')
    await login.waitFor()
    await page.getByLabel('Compare with the 10.0 s before').check()
    await page.locator('#flame g.frame[aria-label*="points"]').first().waitFor()
    assert.deepEqual(asked, [{ from: '70000', to: '80000', against: '10', format: 'graph', route: 'POST /login' }])
    assert.match(await login.getAttribute('aria-label'), /96\.8 %, before 25\.0 %/)
    assert.ok(await page.getByText('before: shortened').isVisible())
    await assertFits(page)
    await page.getByLabel('Compare with the 10.0 s before').uncheck()
    await page.locator('#flame g.frame[aria-label*="points"]').first().waitFor({ state: 'detached' })
    held = false
    await page.getByLabel('Compare with the 10.0 s before').click()
    await page.getByText('Refused: 404.').waitFor()
    assert.equal(await page.getByLabel('Compare with the 10.0 s before').isChecked(), false)
    assert.ok(complaints.every(text => /404/.test(text)), complaints.join())
  })

  test('asks for a token when it has none or a wrong one', async t => {
    const { page } = await browser.open(t, { token: null })
    await page.locator('#sign-in:not([hidden])').waitFor()
    assert.equal(await page.locator('main').isHidden(), true)
    await page.getByLabel('Token').fill('wrong-token-of-at-least-thirty-two-chars')
    await page.keyboard.press('Enter')
    await page.getByText('Wrong token.').waitFor()
    assert.doesNotMatch(await page.locator('#sign-in').textContent(), /Authorization|Bearer/)
    await page.getByLabel('Token').fill(TOKEN)
    await page.keyboard.press('Enter')
    await shown(page)
    await page.reload()
    await shown(page)
  })

  test('says that the loop is blocked while it is, since when and by what', async t => {
    const { app, page, complaints } = await browser.open(t)
    await shown(page)
    const stop = path.join(app.folder, 'stop')
    const spinning = get(`${app.url}/spin?until=${stop}`)
    await page.locator('#stuck:not([hidden])', { hasText: /blocked since \d\d:\d\d:\d\d, in GET \/spin/ }).waitFor()
    await page.getByRole('button', { name: 'What is running now' }).click()
    await page.locator('#flame-panel:not([hidden])').waitFor()
    assert.equal(await page.locator('#stuck + #flame-panel').count(), 1)
    await page.locator('#now', { hasText: 'In flight1' }).waitFor()
    fs.writeFileSync(stop, '')
    await spinning
    await page.locator('#stuck[hidden]').waitFor({ state: 'attached' })
    await groupOf(page, 'GET /spin').first().waitFor()
    assert.deepEqual(complaints, [])
  })

  test('without a recorder it says so where a stretch of time would be chosen', async t => {
    const { page, complaints } = await browser.open(t, { env: { LOOPSCOPE_RECORDER: 'false' } })
    await shown(page)
    await page.locator('#range-note', { hasText: 'The recorder is off (option recorder is false)' }).waitFor()
    assert.equal(await page.locator('#from').isDisabled(), true)
    await page.locator('#findings > li').first().waitFor()
    assert.deepEqual(complaints, [])
  })
})
