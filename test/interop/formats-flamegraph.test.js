/* global getComputedStyle, location, requestAnimationFrame -- inside page.evaluate() */
'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { after, before, describe, test } = require('node:test')
const { pathToFileURL } = require('node:url')
const { encodeFlameGraphDifference } = require('../../lib/formats/flamegraph')
const { FORMATS } = require('../../lib/formats/formats')
const { craft, readRecorded, withRoutes } = require('../fixtures/profiles/profiles')
const { launch, skip } = require('./chromium')

describe('the flame graph in a browser', { skip, timeout: 120_000 }, () => {
  let folder
  let browser
  let page
  let complaints
  let requests

  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loopscope-flame-'))
    browser = await launch()
  })

  after(async () => {
    await browser?.close()
    fs.rmSync(folder, { recursive: true })
  })

  async function open (profile, options = {}) {
    const file = path.join(folder, 'flame.html')
    const context = { appRoot: '/app', ...options.context }
    const { before } = options
    fs.writeFileSync(file, before ? encodeFlameGraphDifference(before, profile, context) : FORMATS.flamegraph.encode(profile, context))
    page = await (await browser.newContext({ reducedMotion: 'reduce', ...options.browser })).newPage()
    complaints = []
    requests = []
    // A violation of the page's policy is a message of the console, too.
    page.on('console', message => complaints.push(message.text()))
    page.on('pageerror', error => complaints.push(error.message))
    page.on('request', request => requests.push(request.url()))
    await page.goto(`${pathToFileURL(file).href}${options.hash ?? ''}`)
  }

  async function close () {
    assert.deepEqual(complaints, [])
    assert.deepEqual(requests.filter(url => !url.startsWith('file:') && !url.startsWith('data:')), [])
    assert.equal(requests.filter(url => url.startsWith('file:')).length, 1)
    await page.context().close()
  }

  const frame = name => page.locator(`g.frame[aria-label^="${name},"]`).first()
  const labels = () => page.locator('g.frame').evaluateAll(frames => frames.map(frame => frame.getAttribute('aria-label').split(', ').slice(0, 1)[0]))
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
    assert.equal(await page.locator('.matches').textContent(), '70.0 % in 3 frames')
    assert.equal(await page.locator('g.match').count(), 3)
    await page.getByRole('searchbox').fill('nothing of the kind')
    assert.equal(await page.locator('.matches').textContent(), 'no match')
    await page.getByRole('searchbox').fill('app.js')
    assert.equal(await page.locator('.matches').textContent(), '100.0 % in 5 frames')
    await close()
  })

  test('answers to the keyboard alone', async () => {
    await open(craft([[['outer', 'left'], 600_000], [['outer', 'right'], 400_000]]))
    await frame('all').focus()
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key)
    assert.match(await page.locator('.details').textContent(), /^right · app\.js:\d+ · 400\.0 ms \(40\.0 %\)/)
    await page.keyboard.press('Enter')
    await whenWidth('right', width => width > 1000)
    await page.keyboard.press('Escape')
    await whenWidth('right', width => width < 600)
    await page.keyboard.press('ArrowUp')
    assert.match(await page.locator('.details').textContent(), /^outer/)
    await page.keyboard.press('/')
    await page.keyboard.type('left')
    assert.equal(await page.locator('.matches').textContent(), '60.0 % in 1 frame')
    await close()
  })

  test('shows idle time when asked', async () => {
    await open(craft([[['work'], 250_000], [['(idle)'], 750_000]]))
    await page.getByLabel('Show idle').check()
    await whenWidth('(idle)', width => width > 600)
    assert.match(await frame('work').getAttribute('aria-label'), /25\.0 %/)
    await close()
  })

  test('hides frameworks until all is wanted, and finds what it hides', async () => {
    await open(craft([[['node:onRequest', 'login', 'node:next', 'check'], 600_000], [['node:onRequest', 'node:parse'], 400_000]]))
    assert.deepEqual((await labels()).toSorted(), ['Node.js', 'all', 'check', 'login'])
    assert.match(await frame('Node.js').getAttribute('aria-label'), /400\.0 ms \(40\.0 %\).*, 1 function folded, most in parse node:internal\/thing:\d+$/)
    await page.keyboard.press('/')
    await page.keyboard.type('onRequest')
    assert.equal(await page.locator('.matches').textContent(), '100.0 % in 1 folded frame')
    await page.getByLabel('Hide frameworks').focus()
    await page.keyboard.press('Space')
    assert.deepEqual((await labels()).toSorted(), ['all', 'check', 'login', 'next', 'onRequest', 'parse'])
    assert.equal(await page.locator('.matches').textContent(), '100.0 % in 1 frame')
    assert.equal(await page.locator('g.match').count(), 1)
    await close()
  })

  test('has nothing to hide where no function of the application was seen', async () => {
    await open(craft([[['node:onRequest', 'node:parse'], 400_000]]))
    assert.deepEqual((await labels()).toSorted(), ['all', 'onRequest', 'parse'])
    assert.equal(await page.getByLabel('Hide frameworks').isVisible(), false)
    assert.deepEqual(await page.locator('.tools .legend li:not([hidden])').allTextContents(), ['Node.js'])
    await close()
  })

  test('goes with Enter from the search to the widest match, and back with Escape', async () => {
    await open(craft([[['left', 'match'], 100_000], [['right', 'match'], 400_000]]))
    await page.getByRole('searchbox').fill('match')
    await page.keyboard.press('Enter')
    assert.match(await page.locator('.details').textContent(), /^match .* 400\.0 ms/)
    await page.keyboard.press('Enter')
    await whenWidth('right', width => width > 1000)
    await page.keyboard.press('Escape')
    await whenWidth('right', width => width < 1000)
    assert.equal(await page.getByRole('searchbox').inputValue(), '')
    assert.equal(await page.locator('g.match').count(), 0)
    await close()
  })

  const ROUTES = { login: 'POST /login', report: 'GET /report' }
  const LABELLED = withRoutes(craft([[['serve', 'login'], 200_000], [['serve', 'report'], 500_000], [['work'], 300_000], [['(idle)'], 1_000_000]]), ROUTES)

  test('shows routes as the first level on request, heaviest first, with keys alone', async () => {
    await open(LABELLED)
    assert.deepEqual((await labels()).toSorted(), ['all', 'login', 'report', 'serve', 'work'])
    await page.getByLabel('By route').focus()
    await page.keyboard.press('Space')
    assert.deepEqual((await labels()).toSorted(), ['GET /report', 'POST /login', 'all', 'login', 'no request', 'report', 'serve', 'serve', 'work'])
    assert.match(await frame('POST /login').getAttribute('aria-label'), /200\.0 ms \(20\.0 %\)/)
    const left = async name => (await frame(name).boundingBox()).x
    assert.ok(await left('GET /report') < await left('no request') && await left('no request') < await left('POST /login'))
    await page.getByLabel('Show idle').check()
    assert.match(await frame('(idle)').getAttribute('aria-label'), /50\.0 %/)
    await frame('POST /login').press('Enter')
    await whenWidth('POST /login', width => width > 1000)
    await close()
  })

  test('has that in its address, and fits a narrow window with it', async () => {
    const isChecked = () => page.getByLabel('By route').isChecked()
    await open(LABELLED, { hash: '#by-route', browser: { viewport: { width: 390, height: 800 } } })
    assert.ok(await isChecked() && await frame('POST /login').count() === 1)
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
    await page.getByLabel('By route').uncheck()
    assert.equal(await page.evaluate(() => location.hash), '')
    await page.evaluate(() => { location.hash = 'by-route' })
    await poll(isChecked)
    await close()
  })

  test('says nothing of routes where there are none', async () => {
    await open(craft([[['work'], 250_000]]), { hash: '#by-route' })
    assert.equal(await page.getByLabel('By route').isVisible(), false)
    assert.equal(await frame('work').count(), 1)
    await close()
  })

  const many = counts => craft(Object.entries(counts).flatMap(([stack, count]) => Array.from({ length: count }, () => [stack.split(' '), 1000])))
  const BEFORE = many({ 'serve login': 100, 'serve report': 300, 'serve old': 100, '(idle)': 500 })
  const AFTER = many({ 'serve login': 400, 'serve report': 100, '(idle)': 500 })

  for (const colorScheme of ['light', 'dark']) {
    test(`shows what changed by color, sign and word, and lists what is gone, ${colorScheme}, on a narrow screen`, async () => {
      const colorOf = name => frame(name).locator('rect').evaluate(rect => getComputedStyle(rect).fill)
      const legendOf = name => page.locator(`.legend .${name}`).evaluate(item => getComputedStyle(item).backgroundColor)
      await open(AFTER, { before: BEFORE, browser: { colorScheme, viewport: { width: 390, height: 800 } } })
      assert.match(await frame('login').getAttribute('aria-label'), /\+60\.0 points: 80\.0 %, before 20\.0 %/)
      assert.match(await frame('login').textContent(), /● login \+60\.0/)
      assert.equal(await colorOf('login'), await legendOf('hottest'))
      assert.equal(await colorOf('report'), await legendOf('coldest'))
      assert.equal(await colorOf('serve'), await legendOf('same'))
      assert.equal(await frame('old').count(), 0)
      await page.getByText('Only in the earlier recording: 1').click()
      assert.match(await page.locator('.vanished li').textContent(), /^● old −20\.0.*0\.0 %, before 20\.0 %$/)
      assert.match(await page.locator('.meaning').textContent(), /busy time/)
      await page.getByLabel('Show idle').check()
      assert.match(await frame('login').getAttribute('aria-label'), /40\.0 %, before 10\.0 %/)
      assert.match(await page.locator('.meaning').textContent(), /all recorded time/)
      await page.getByRole('searchbox').fill('login')
      assert.equal(await page.locator('.matches').textContent(), '40.0 %, before 10.0 % in 1 frame')
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
      await close()
    })
  }

  test('has none of that where nothing is compared', async () => {
    await open(AFTER)
    assert.equal(await page.locator('.meaning').isVisible(), false)
    assert.equal(await page.locator('.vanished').isVisible(), false)
    await close()
  })

  test('has light and dark colors, and fits a narrow window', async () => {
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
    await poll(async () => (await page.locator('.tip').textContent()).startsWith(evil))
    assert.equal(await page.locator('img').count(), 0)
    assert.equal(await page.title(), evil)
    await close()
  })

  test('says when there are no samples, and draws nothing', async () => {
    await open(craft([]))
    assert.ok(await page.getByText('The profile has no samples').isVisible())
    assert.equal(await page.locator('g.frame').count(), 0)
    assert.equal(await page.getByRole('searchbox').isVisible(), false)
    await close()
  })
})
