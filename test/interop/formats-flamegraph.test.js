/* global getComputedStyle, requestAnimationFrame -- inside page.evaluate() */
'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { after, before, describe, test } = require('node:test')
const { pathToFileURL } = require('node:url')
const { FORMATS } = require('../../lib/shared/formats/formats')
const { craft, readRecorded } = require('../fixtures/profiles/profiles')

const CHROMIUM = '/usr/bin/chromium'
const skip = fs.existsSync(CHROMIUM) ? false : 'chromium is not installed'
const ARGS = [
  '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'
]

describe('the flame graph in a browser', { skip, timeout: 120_000 }, () => {
  let folder
  let browser
  let page
  let complaints
  let requests

  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loopscope-flame-'))
    browser = await require('playwright-core').chromium.launch({ executablePath: CHROMIUM, args: ARGS })
  })

  after(async () => {
    await browser?.close()
    fs.rmSync(folder, { recursive: true })
  })

  async function open (profile, options = {}) {
    const file = path.join(folder, 'flame.html')
    fs.writeFileSync(file, FORMATS.flamegraph.encode(profile, { appRoot: '/app', ...options.context }))
    const context = await browser.newContext({ reducedMotion: 'reduce', ...options.browser })
    page = await context.newPage()
    complaints = []
    requests = []
    // A violation of the page's policy is a message of the console, too.
    page.on('console', message => complaints.push(message.text()))
    page.on('pageerror', error => complaints.push(error.message))
    page.on('request', request => requests.push(request.url()))
    await page.goto(pathToFileURL(file).href)
  }

  async function close () {
    assert.deepEqual(complaints, [])
    assert.deepEqual(requests.filter(url => !url.startsWith('file:') && !url.startsWith('data:')), [])
    assert.equal(requests.filter(url => url.startsWith('file:')).length, 1)
    await page.context().close()
  }

  const frame = name => page.locator(`g.frame[aria-label^="${name},"]`).first()
  const widthOf = async name => (await frame(name).boundingBox()).width
  const whenWidth = (name, test) => poll(async () => test(await widthOf(name)))

  async function poll (condition) {
    while (!await condition()) await page.waitForFunction(() => new Promise(resolve => requestAnimationFrame(() => resolve(true))))
  }

  for (const { name, profile } of readRecorded()) {
    test(`draws ${name} without a complaint or a request`, async () => {
      await open(profile)
      await whenWidth('all', width => width > 1000)
      assert.equal(await frame('login').getAttribute('role'), 'button')
      assert.equal(await frame('(idle)').count(), 0)
      await close()
    })
  }

  test('zooms by click and back by the button', async () => {
    await open(craft([[['outer', 'left'], 600_000], [['outer', 'right'], 400_000]]))
    await whenWidth('right', width => width < 600 && width > 300)
    await frame('right').click()
    await whenWidth('right', width => width > 1000)
    await page.getByRole('button', { name: 'Reset zoom' }).click()
    await whenWidth('right', width => width < 600)
    await close()
  })

  test('searches names and files, and counts time once', async () => {
    await open(craft([[['alpha', 'alphabet'], 600_000], [['beta'], 300_000], [['gamma', 'alphabet'], 100_000]]))
    await page.getByRole('searchbox').fill('ALPHA')
    assert.equal(await page.locator('#matches').textContent(), '70.0 % in 3 frames')
    assert.equal(await page.locator('g.match').count(), 3)
    await page.getByRole('searchbox').fill('nothing of the kind')
    assert.equal(await page.locator('#matches').textContent(), 'no match')
    await page.getByRole('searchbox').fill('app.js')
    assert.equal(await page.locator('#matches').textContent(), '100.0 % in 5 frames')
    await close()
  })

  test('answers to the keyboard alone', async () => {
    await open(craft([[['outer', 'left'], 600_000], [['outer', 'right'], 400_000]]))
    await frame('all').focus()
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key)
    assert.match(await page.locator('#details').textContent(), /^right · app\.js:\d+ · 400\.0 ms \(40\.0 %\)/)
    await page.keyboard.press('Enter')
    await whenWidth('right', width => width > 1000)
    await page.keyboard.press('Escape')
    await whenWidth('right', width => width < 600)
    await page.keyboard.press('ArrowUp')
    assert.match(await page.locator('#details').textContent(), /^outer/)
    await page.keyboard.press('/')
    await page.keyboard.type('left')
    assert.equal(await page.locator('#matches').textContent(), '60.0 % in 1 frame')
    await close()
  })

  test('shows idle time when asked', async () => {
    await open(craft([[['work'], 250_000], [['(idle)'], 750_000]]))
    await page.getByLabel('Show idle').check()
    await whenWidth('(idle)', width => width > 600)
    assert.match(await frame('work').getAttribute('aria-label'), /25\.0 %/)
    await close()
  })

  test('has light and dark colours, and fits a narrow window', async () => {
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    await open(craft([[['work'], 250_000]]), { browser: { colorScheme: 'light', viewport: { width: 400, height: 800 } } })
    const light = await background()
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 400)
    await page.emulateMedia({ colorScheme: 'dark' })
    assert.notEqual(await background(), light)
    await page.setViewportSize({ width: 900, height: 800 })
    await whenWidth('work', width => width > 700)
    await close()
  })

  test('keeps names, paths and titles text', async () => {
    const evil = '</script><img src=x onerror="document.title=\'owned\'">'
    await open(craft([[[evil], 250_000]]), { context: { title: evil, notes: [evil] } })
    await page.locator('g.frame').nth(1).hover()
    await poll(async () => (await page.locator('#tip').textContent()).startsWith(evil))
    assert.equal(await page.locator('img').count(), 0)
    assert.equal(await page.title(), evil)
    await close()
  })

  test('says when there are no samples, and draws nothing', async () => {
    await open(craft([]))
    assert.ok(await page.getByText('The profile holds no samples').isVisible())
    assert.equal(await page.locator('g.frame').count(), 0)
    assert.equal(await page.getByRole('searchbox').isVisible(), false)
    await close()
  })
})
