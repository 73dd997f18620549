/* global document -- inside page.evaluate() */
'use strict'

// What changed from one benchmark to another, in a real browser.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { after, before, describe, test } = require('node:test')
const { pathToFileURL } = require('node:url')
const { compareBenches } = require('../../lib/cli/bench/compare')
const { renderComparison } = require('../../lib/cli/bench/page')
const { bench, finding, profileOf, round } = require('../cli/benches')
const { launch, openFile, skip } = require('./chromium')

const roundsOf = (rates, ...findings) => rates.map(perSecond => round({ perSecond, findings }))
const EARLIER = {
  profile: profileOf({ hash: 900, parse: 100 }),
  rounds: roundsOf([24, 25, 26], finding('hot-sync-call', 'login'), finding('starved', 'x', { severity: 'warning', where: null }))
}
const LATER = {
  profile: profileOf({ parse: 100, '(garbage collector)': 40, '(idle)': 860 }),
  rounds: roundsOf([54, 55, 56], finding('pool-full', 'login'), finding('starved', 'x', { severity: 'warning', where: null }))
}

describe('the page of a comparison of benchmarks', { skip, timeout: 120_000 }, () => {
  let folder
  let browser

  before(async () => {
    folder = fs.mkdtempSync('/tmp/ls-')
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  function open (t, earlier, later, options = {}) {
    const file = path.join(folder, 'change.html')
    fs.writeFileSync(file, renderComparison(compareBenches({ file: 'before.json', bench: bench(earlier) }, { file: 'after.json', bench: bench(later) })))
    return openFile(t, browser, pathToFileURL(file).href, options)
  }

  const labels = page => page.locator('g.frame').evaluateAll(frames => frames.map(frame => frame.getAttribute('aria-label').split(',')[0]))

  test('shows figures with their rounds, findings, functions, and flame graphs to choose from', async t => {
    const { page, complaints } = await open(t, EARLIER, LATER)
    assert.equal(await page.locator('h1').textContent(), 'What changed: GET /login')
    const rate = page.locator('.figures li', { hasText: 'requests/s' })
    assert.match(await rate.innerText(), /25 \(24\.\.26\)[^]*55 \(54\.\.56\)[^]*2\.20 \(2\.08\.\.2\.33\)[^]*better/)
    assert.equal(await rate.locator('circle').count(), 6)
    assert.match(await page.locator('.findings.gone').innerText(), /CRITICAL hot-sync-call in login[^]*3 before, 0 after/)
    assert.match(await page.locator('.findings.came').innerText(), /pool-full/)
    assert.match(await page.locator('.findings.stayed').innerText(), /WARNING starved/)
    assert.match(await page.locator('.functions').last().innerText(), /-900 µs\s+900 µs\s+0 µs\s+hash app\.js:8/)
    assert.equal(await page.locator('#choice [aria-pressed=true]').textContent(), 'Difference')
    await page.getByRole('button', { name: 'Before', exact: true }).click()
    await page.locator('g.frame[aria-label^="hash,"]').waitFor()
    await page.getByRole('button', { name: 'After', exact: true }).click()
    await page.locator('g.frame[aria-label^="hash,"]').waitFor({ state: 'detached' })
    assert.ok((await labels(page)).includes('parse'))
    assert.deepEqual(complaints, [])
  })

  test('without profiles and findings it says so', async t => {
    const { page, complaints } = await open(t, {}, {})
    assert.match(await page.locator('main').innerText(), /No findings, neither before nor after\.[^]*One of the two benchmarks has no profile\./)
    assert.equal(await page.locator('#flames').isVisible(), false)
    assert.deepEqual(complaints, [])
  })

  test('runs nothing that a result names', async t => {
    const evil = '</script><script>document.title = "ran"</script><img src=x onerror="document.title = 1">'
    const hostile = {
      command: [evil],
      request: { url: `http://x/${evil}`, method: evil, headers: [] },
      profile: profileOf({ [evil]: 100 }),
      rounds: roundsOf([1, 2, 3], finding('x', evil, { title: evil, instead: evil, severity: evil }))
    }
    const { page, complaints } = await open(t, hostile, { ...hostile, profile: profileOf({ other: 100 }) })
    assert.deepEqual(await page.evaluate(() => [document.images.length, /^What changed/.test(document.title)]), [0, true])
    assert.deepEqual(complaints, [])
  })

  for (const [width, colorScheme] of [[390, 'light'], [390, 'dark'], [900, 'light'], [1400, 'dark']]) {
    test(`fits ${width} pixels, ${colorScheme}`, async t => {
      const { page, complaints } = await open(t, EARLIER, LATER, { viewport: { width, height: 800 }, colorScheme })
      await page.locator('g.frame').first().waitFor()
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth))
      assert.deepEqual(complaints, [])
    })
  }
})
