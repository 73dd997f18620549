/* global loopscope -- inside page.evaluate() */
'use strict'

// Captures, their files and the comparison of heap snapshots, on the page before a real application.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const { after, before, describe, test } = require('node:test')
const { createBrowser, shown, skip } = require('./dashboard')

describe('captures on the page', { skip, timeout: 180_000 }, () => {
  const browser = createBrowser()
  before(browser.launch)
  after(browser.close)

  test('captures, stops, cancels, downloads and deletes', async t => {
    const { page, complaints } = await browser.open(t)
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
    await page.getByText('No artifacts.').waitFor()
    assert.deepEqual(complaints, [])
  })

  test('compares two heap snapshots, and gives the report as a page', async t => {
    const { page, complaints } = await browser.open(t)
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
})
