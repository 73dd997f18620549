/* global document -- inside page.evaluate() */
'use strict'

// The report of a comparison in a real browser.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { after, before, describe, test } = require('node:test')
const { pathToFileURL } = require('node:url')
const { renderReport } = require('../../lib/heap-diff/report')
const { hostileReport, makeReport } = require('../heap/reports')
const { makeDirectory } = require('../store/scratch')
const { launch, openFile, skip } = require('./chromium')

describe('the report of a comparison in a browser', { skip, timeout: 120_000 }, () => {
  let folder
  let browser

  before(async () => {
    folder = makeDirectory()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  function open (t, report, options = {}) {
    const file = path.join(folder, 'report.html')
    fs.writeFileSync(file, renderReport(report))
    return openFile(t, browser, pathToFileURL(file).href, options)
  }

  const names = page => page.locator('#classes tbody tr td:first-child').allTextContents()

  test('shows the suspect with its path, and the table sorted, searched and with noise', async t => {
    const { page, complaints } = await open(t, makeReport())
    assert.match(await page.locator('h1').textContent(), /^Heap 44\.6 → 170\.0 MB/)
    assert.match(await page.locator('.suspect').first().innerText(), /`sessions`[^]*94 %[^]*confidence medium[^]*variable sessions Map/)
    assert.deepEqual(await names(page), ['Session', 'Map', 'Gone'])
    await page.getByRole('button', { name: 'Retained Delta' }).click()
    assert.deepEqual(await names(page), ['Map', 'Session', 'Gone'])
    await page.getByRole('button', { name: 'Retained Delta' }).press('Enter')
    assert.deepEqual(await names(page), ['Gone', 'Session', 'Map'])
    assert.equal(await page.locator('th[aria-sort=ascending]').textContent(), 'Retained Delta')
    await page.getByLabel('Show V8 internals').check()
    assert.equal((await names(page)).length, 4)
    await page.keyboard.press('/')
    await page.keyboard.type('sess')
    assert.deepEqual(await names(page), ['Session'])
    assert.deepEqual(complaints, [])
  })

  test('runs nothing that an application named', async t => {
    const { page, complaints } = await open(t, hostileReport())
    assert.equal((await names(page)).length, 1)
    assert.equal(await page.evaluate(() => document.images.length + document.scripts.length), 2)
    assert.deepEqual(complaints, [])
  })

  for (const [width, colorScheme] of [[360, 'light'], [1400, 'dark']]) {
    test(`fits ${width} pixels, ${colorScheme}, with ten thousand classes`, async t => {
      const report = makeReport()
      const classes = Array.from({ length: 10_000 }, (_, at) => ({ ...report.classes[0], name: `Class${at} ${'x'.repeat(at % 90)}`, allocatedBytes: at }))
      const { page, complaints } = await open(t, { ...report, classes }, { viewport: { width, height: 800 }, colorScheme })
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth))
      assert.equal((await names(page)).length, 501)
      await page.getByRole('button', { name: 'Show 500 more' }).click()
      assert.equal((await names(page)).length, 1001)
      assert.deepEqual(complaints, [])
    })
  }
})
