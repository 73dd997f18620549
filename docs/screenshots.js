/* global document -- inside page.evaluate() */
'use strict'

// node docs/screenshots.js: makes the pictures of the documents anew, in docs/images/. Starts examples/express.js as a process of
// its own, loads it for half a minute, and photographs its page and a flame graph in Chromium, which has to be installed. On a machine
// with other things to do they show stalls that are the machine's.

const { execFile } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { pathToFileURL } = require('node:url')
const { promisify } = require('node:util')
const autocannon = require('autocannon')
const { chromium } = require('playwright-core')
const { startApp } = require('../examples/demo/app-process')

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
const ROOT = path.resolve(__dirname, '..')
const IMAGES = path.join(__dirname, 'images')
const LOAD_SECONDS = 32
const SCALE = 1.25 // sharp enough beside text, and below 250 kB
const MARGIN = 16
const VIEWPORT = { width: 1080, height: 600 } // pictures are as high as what they show

async function main () {
  const dir = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-screenshots-'))
  const app = await startApp({ dir: path.join(dir, 'store'), script: makeShop(dir), appName: 'shop' })
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--lang=en-GB'] })
  try {
    const context = await browser.newContext({ viewport: VIEWPORT, deviceScaleFactor: SCALE, colorScheme: 'light', reducedMotion: 'reduce', locale: 'en-GB', timezoneId: 'UTC' })
    fs.mkdirSync(IMAGES, { recursive: true })
    const page = await openPage(app, context)
    await load(app)
    await photographPage(page)
    await photographGraph(await context.newPage(), await flameGraph(app, dir))
  } finally {
    await browser.close()
    await app.stop()
    fs.rmSync(dir, { recursive: true })
  }
}

/** A folder as a user has it, the packages in node_modules: in the project itself our own files would pass for the application's. */
function makeShop (dir) {
  const modules = path.join(dir, 'node_modules')
  fs.mkdirSync(modules)
  for (const name of fs.readdirSync(path.join(ROOT, 'node_modules'))) fs.symlinkSync(path.join(ROOT, 'node_modules', name), path.join(modules, name))
  for (const name of ['lib', 'package.json']) fs.cpSync(path.join(ROOT, name), path.join(modules, 'loopscope', name), { recursive: true })
  fs.copyFileSync(path.join(ROOT, 'examples/express.js'), path.join(dir, 'app.js'))
  Object.assign(process.env, { PORT: '0', NODE_PRESERVE_SYMLINKS: '1' })
  return path.join(dir, 'app.js')
}

/** From before the load on, so that its charts show all of it. */
async function openPage (app, context) {
  const { url } = await app.logged(record => record.url, 10_000)
  const page = await context.newPage()
  await page.goto(url)
  await page.locator('main:not([hidden])').waitFor()
  return page
}

/** What a shop does all the time, and now and then what it should not do. */
async function load ({ url }) {
  const browsing = autocannon({ url, connections: 4, overallRate: 200, duration: LOAD_SECONDS })
  for (const [method, route, afterMs] of [['POST', '/login', 6000], ['GET', '/report', 6000], ['POST', '/login', 5000], ['POST', '/login', 5000]]) {
    await sleep(afterMs)
    await (await fetch(url + route, { method })).text()
  }
  await browsing
}

async function photographPage (page) {
  await page.locator('#sync td', { hasText: 'pbkdf2Sync' }).first().waitFor() // known when its window is over
  await photograph(page, '#sync', 'page.png')
}

async function flameGraph ({ pid }, dir) {
  const file = path.join(dir, 'flame.html')
  await promisify(execFile)(process.execPath, [path.join(ROOT, 'bin/loopscope.js'), 'profile', String(pid), '--last', String(LOAD_SECONDS), '--format', 'flamegraph', '-o', file])
  return file
}

async function photographGraph (page, file) {
  await page.goto(pathToFileURL(file).href)
  await page.waitForFunction(() => { // frames grow to their width
    const [root, svg] = ['#chart g.frame rect', '#chart'].map(selector => document.querySelector(selector)?.getBoundingClientRect().width ?? 0)
    return root > 0 && root > svg - 2
  })
  await photograph(page, '.hint', 'flame-graph.png')
}

/** From the top of the page to the end of what `last` selects; memory and captures are below it. */
async function photograph (page, last, name) {
  const { y, height } = await page.locator(last).first().boundingBox()
  await page.screenshot({ path: path.join(IMAGES, name), fullPage: true, clip: { x: 0, y: 0, width: VIEWPORT.width, height: Math.ceil(y + height) + MARGIN } })
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
