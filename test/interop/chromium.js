'use strict'

// Chromium for tests of pages. What the browser complains of is kept, a violation of the page's policy too.

const fs = require('node:fs')

const CHROMIUM = '/usr/bin/chromium'
const ARGS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']
const skip = fs.existsSync(CHROMIUM) ? false : 'chromium is not installed'

function launch () {
  return require('playwright-core').chromium.launch({ executablePath: CHROMIUM, args: ARGS })
}

/**
 * @param {import('node:test').TestContext} t
 * @param {any} browser
 * @param {string} url
 * @param {{ options?: object, prepare?: (page: any, complaints: string[]) => unknown }} [how]  prepare: before the page is loaded
 */
async function openPage (t, browser, url, { options = {}, prepare = () => {} } = {}) {
  const context = await browser.newContext(options)
  t.after(() => context.close())
  const page = await context.newPage()
  /** @type {string[]} */
  const complaints = []
  page.on('console', message => complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(error.message))
  await prepare(page, complaints)
  await page.goto(url)
  return { page, complaints }
}

/**
 * Opens a page that must need no other file.
 * @param {import('node:test').TestContext} t
 * @param {any} browser
 * @param {string} url  of a file
 * @param {object} [options]
 */
function openFile (t, browser, url, options) {
  const prepare = (page, complaints) => page.on('request', request => { if (!/^(file|data):/.test(request.url())) complaints.push(request.url()) })
  return openPage(t, browser, url, { options, prepare })
}

module.exports = { ARGS, CHROMIUM, launch, openFile, openPage, skip }
