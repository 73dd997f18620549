'use strict'

// Our files in the real thing: Chromium serves its own DevTools, and they are asked what they show of files that a real
// process wrote.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { after, before, describe, test } = require('node:test')
const { FORMATS } = require('../../lib/formats/formats')
const { mergeProfiles } = require('../../lib/formats/merge-profiles')
const { readRecorded, withRoutes } = require('../fixtures/profiles/profiles')
const { drive } = require('../process/child')
const { ARGS, CHROMIUM, skip } = require('./chromium')

const DEVTOOLS = 'devtools://devtools/bundled/js_app.html'
const PATIENCE_MS = 120_000
const PANEL_MS = 5000

/** In the application: what is to be found again, then a file of the kind. */
async function capturePlanted ({ handle, ready }, kind) {
  await ready()
  class PlantedCustomer {
    constructor (index) {
      this.orders = new Array(2000).fill(index)
    }
  }
  globalThis.planted = []
  function keepPlanted () {
    for (let index = 0; index < 200; index++) globalThis.planted.push(new PlantedCustomer(index))
  }
  function burnPlanted () { // in itself: the panel lists who had the processor, not who called
    let sum = 0
    for (let index = 0; index < 3e7; index++) sum += index % 7
    return sum
  }
  const hasPlanted = text => {
    if (kind !== 'cpu') return /keepPlanted/.test(text)
    const { nodes, samples } = JSON.parse(text)
    return nodes.some(({ id, callFrame }) => callFrame.functionName === 'burnPlanted' && samples.includes(id))
  }
  for (;;) { // until the file has it: what is sampled is up to chance
    if (kind === 'cpu') burnPlanted()
    else keepPlanted()
    try {
      const artifact = await handle.capture(kind, kind === 'cpu' ? { last: 10 } : {})
      if (kind === 'heap-snapshot' || hasPlanted(await artifact.text())) return artifact.path
    } catch (error) {
      if (!['ERR_LOOPSCOPE_EMPTY_VIEW', 'ERR_LOOPSCOPE_RECORDER_OFF'].includes(error.code)) throw error
    }
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

describe('Chrome DevTools', { skip, timeout: 400_000 }, () => {
  let context
  let profile

  before(async () => {
    profile = fs.mkdtempSync(path.join(os.tmpdir(), 'loopscope-chromium-'))
    context = await require('playwright-core').chromium.launchPersistentContext(profile, { executablePath: CHROMIUM, headless: true, args: [...ARGS, '--disable-quic'], viewport: { width: 1400, height: 900 } })
    context.setDefaultTimeout(PATIENCE_MS)
  })

  after(async () => {
    await context?.close()
    fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  })

  /** @param {import('node:test').TestContext} t */
  async function open (t, panel, kind) {
    const app = await drive(t, { options: { retention: { minFreeBytes: 0 } } })
    const file = await app.run(capturePlanted, kind)
    const page = await context.newPage()
    t.after(() => page.close())
    await page.goto(`${DEVTOOLS}?panel=${panel}`)
    return { file, page }
  }

  /** The row of a function in the Performance panel. */
  async function findInPerformance (page, file, name) {
    const row = page.getByRole('row', { name }).first()
    await page.locator('input[type=file]').first().setInputFiles(file)
    do { // the tab listens to the button that goes down, and a view that is still being made does not
      await page.getByRole('tab', { name: 'Bottom-up' }).dispatchEvent('mousedown', { button: 0 })
    } while (!await row.waitFor({ timeout: PANEL_MS }).then(() => true, () => false))
    return row.innerText()
  }

  /** Tracks are drawn: what is in them is found by the panel's search, which selects it. */
  async function searchInPerformance (page, name) {
    const selected = page.getByText(name)
    do {
      await page.mouse.click(700, 300)
      await page.keyboard.press('Control+f')
      await page.keyboard.press('Control+a')
      await page.keyboard.type(name)
      await page.keyboard.press('Enter')
    } while (!await selected.first().waitFor({ timeout: PANEL_MS }).then(() => true, () => false))
  }

  /** Loads the file as a user does, and opens what it is called then. */
  async function loadIntoMemory (page, file) {
    const chosen = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Load profile' }).last().click()
    await (await chosen).setFiles(file)
    const entry = page.getByRole('treeitem', { name: path.parse(file).name }).filter({ hasText: /\((Loaded|[\d.,]+\s\S+)\)/ })
    await entry.waitFor()
    await entry.click()
  }

  test('show the functions of a .cpuprofile in the Performance panel', async t => {
    const { file, page } = await open(t, 'timeline', 'cpu')
    assert.match(await findInPerformance(page, file, /burnPlanted/), /[\d.,]+\sms/)
  })

  for (const [what, make] of [
    ['whose samples have routes', () => withRoutes(readRecorded()[0].profile, { login: 'POST /login', parseReport: 'GET /reports/:id' })],
    ['of several processes', () => mergeProfiles(readRecorded().map((recorded, index) => ({ process: String(1000 + index), profile: recorded.profile })))]
  ]) {
    test(`show the functions of a .cpuprofile ${what}`, async t => {
      const page = await context.newPage()
      t.after(() => page.close())
      const file = path.join(profile, 'labelled.cpuprofile')
      fs.writeFileSync(file, FORMATS.cpuprofile.encode(make()))
      await page.goto(`${DEVTOOLS}?panel=timeline`)
      assert.match(await findInPerformance(page, file, /parseReport/), /[\d.,]+\sms/)
    })
  }

  test('show the samples and the tracks of a trace in the Performance panel', async t => {
    const page = await context.newPage()
    t.after(() => page.close())
    const [{ profile: recorded }] = readRecorded()
    const span = (name, fromMs, toMs) => ({ name, fromMicros: recorded.startTime + fromMs * 1e3, toMicros: recorded.startTime + toMs * 1e3, properties: [] })
    const file = path.join(profile, 'shop.json')
    fs.writeFileSync(file, FORMATS.trace.encode(recorded, {
      title: 'shop (pid 12)',
      startedAt: Date.now(),
      events: () => ({ stalls: [span('code: plantedStall', 10, 200)], requests: [span('GET /planted', 5, 210)], collections: [span('major', 20, 30)], marks: [] })
    }))
    await page.goto(`${DEVTOOLS}?panel=timeline`)
    assert.match(await findInPerformance(page, file, /parseReport/), /[\d.,]+\sms/)
    for (const name of ['plantedStall', 'GET /planted']) await searchInPerformance(page, name)
  })

  test('show the functions of a .heapprofile in the Memory panel', async t => {
    const { file, page } = await open(t, 'heap-profiler', 'heap-profile')
    await loadIntoMemory(page, file)
    await page.getByRole('row', { name: /PlantedCustomer|keepPlanted/ }).first().waitFor()
  })

  test('show the classes of a redacted .heapsnapshot in the Memory panel', async t => {
    const { file, page } = await open(t, 'heap-profiler', 'heap-snapshot')
    await loadIntoMemory(page, file)
    const row = page.getByRole('row', { name: /PlantedCustomer/ }).first()
    await row.waitFor()
    assert.match(await row.innerText(), /×\s?200/)
  })
})
