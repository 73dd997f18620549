/* global document -- inside page.evaluate() */
'use strict'

// node docs/screenshots.js [folder]: makes the pictures of the documents anew, in docs/images/; with a folder also those of all
// states of the page in three widths, light and dark, to look at. Starts examples/express.js as a process of its own, loads it for half a minute, and photographs its
// page and a flame graph in Chromium, which has to be installed. On a machine with other things to do they show stalls that are the machine's.

const { execFile } = require('node:child_process')
const fs = require('node:fs')
const http = require('node:http')
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
const BETWEEN_MS = 1700
const BROWSE_EVERY_MS = 5
const LOGINS_AT_ONCE = 24 // on open connections: seconds of work in one turn of the loop
const LOGINS_SECONDS = 12
const MARGIN = 16
const LOOKS = { deviceScaleFactor: 1, reducedMotion: 'reduce', locale: 'en-GB', timezoneId: 'UTC' }
const DESK = { viewport: { width: 1080, height: 700 }, colorScheme: 'light' }
const PHONE = { viewport: { width: 390, height: 844 }, colorScheme: 'light' }
const ALL_LOOKS = [390, 1024, 1440].flatMap(width => ['light', 'dark'].map(colorScheme => ({ viewport: { width, height: 900 }, colorScheme })))
const MANY_STALLS = 10_000

/** What one process under load for half a minute does not have: answers that are changed on their way to the page. */
const STATES = {
  incident: {},
  'many-stalls': {
    '/stalls': answer => ({ ...answer, stalls: Array.from({ length: MANY_STALLS }, (_, id) => ({ ...answer.stalls[id % answer.stalls.length], id, route: `GET /orders/${id % 60}` })), totals: { ...answer.totals, count: MANY_STALLS } })
  },
  group: {
    '/group': ({ members: [own], ...rest }) => {
      const members = Array.from({ length: 16 }, (_, index) => ({ ...own, pid: own.pid + index, instance: String(index), blockedMs: index % 5 === 3 ? 4200 : 0, delay: { ...own.delay, utilization: (index % 7) / 8 }, problem: null }))
      return { ...rest, members, processes: members.map(({ pid, id }, index) => ({ pid, id, up: index !== 9, problem: index === 9 ? 'no answer in 2.5 s' : null, isStale: false })) }
    }
  },
  waits: {
    '/waits': () => ({ seconds: 10, seen: 900, sampled: 300, seesCallbacks: true, isStale: false, routes: ['GET /orders/:id', 'GET /', 'POST /cart'].map((route, index) => waitsOf(route, 40 * (index + 1))) })
  }
}

async function main () {
  const [others] = process.argv.slice(2)
  const dir = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-screenshots-'))
  const app = await startApp({ dir: path.join(dir, 'store'), script: makeShop(dir), appName: 'shop' })
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--disable-lcd-text', '--lang=en-GB'] })
  for (const folder of [IMAGES, others].filter(Boolean)) fs.mkdirSync(folder, { recursive: true })
  try {
    await photographAll({ app, dir, others, newPage: async looks => (await browser.newContext({ ...LOOKS, ...looks })).newPage() })
  } finally {
    await browser.close()
    await app.stop()
    fs.rmSync(dir, { recursive: true })
  }
}

async function photographAll ({ app, dir, others, newPage }) {
  const inImages = name => path.join(IMAGES, name)
  const page = await openPage(app, await newPage(DESK)) // from before the load on: its charts show all of it
  if (others) await photographStates({ app, others, newPage }, { quiet: {} })
  await load(app)
  await page.locator('#sync td', { hasText: 'pbkdf2Sync' }).first().waitFor() // known when its window is over
  await page.locator('#findings .warning, #findings .critical').first().waitFor()
  await page.locator('#stuck[hidden]').waitFor({ state: 'attached' })
  await photograph(page, inImages('page.png'), { last: '#delay-summary' })
  await page.locator('#stalls button.opener').first().click()
  await page.locator('section', { has: page.locator('#stalls') }).screenshot({ path: inImages('page-stalls.png') })
  await photographGraph(await newPage(DESK), await flameGraph(app, dir), inImages('flame-graph.png'))
  await photographLooks({ app, others, newPage })
  await block(app, page, async () => {
    await photograph(page, inImages('page-blocked.png'), { last: '#findings li' })
    if (others) await photographStates({ app, others, newPage }, { blocked: {} })
  })
}

async function photographLooks ({ app, others, newPage }) {
  const phone = await openPage(app, await newPage(PHONE))
  await photograph(phone, path.join(IMAGES, 'page-phone.png'), { last: '#findings-observed' })
  await phone.close() // so many may listen
  if (others) await photographStates({ app, others, newPage }, STATES)
}

async function photographStates ({ app, others, newPage }, states) {
  for (const [state, changes] of Object.entries(states)) {
    for (const looks of ALL_LOOKS) {
      const page = await newPage(looks)
      for (const [route, change] of Object.entries(changes)) {
        await page.route(url => url.pathname === route, async request => {
          const response = await request.fetch()
          await request.fulfill({ json: change(await response.json()) })
        })
      }
      await openPage(app, page)
      if (state === 'incident') await expand(page)
      else await page.locator('#owners td').first().waitFor()
      await photograph(page, path.join(others, `${state}-${looks.viewport.width}-${looks.colorScheme}.png`))
      await page.close() // so many may listen
    }
  }
}

function waitsOf (route, requests) {
  const line = (name, awaited, share) => ({ function: name, file: 'orders.js', line: 21, column: 3, awaited, via: null, callers: [], waits: 2 * requests, requests, queuedMs: requests / 4, share, ms: share * requests * 80, p50Ms: 58 * share, p99Ms: 91 * share, maxMs: 120 })
  return { route, requests, open: 0, truncated: 0, totalMs: requests * 80, waitingMs: requests * 66, unseenMs: requests * 5, clientMs: 0, uploadMs: 0, lines: [line('loadOrders', 'pg-pool', 0.6), line('prices', 'undici', 0.2), line('session', 'ioredis', 0.02)], serial: [] }
}

/** A folder as a user has it, the packages in node_modules: in the project itself our own files would pass for the application's. */
function makeShop (dir) {
  const modules = path.join(dir, 'node_modules')
  fs.mkdirSync(modules)
  for (const name of fs.readdirSync(path.join(ROOT, 'node_modules'))) fs.symlinkSync(path.join(ROOT, 'node_modules', name), path.join(modules, name))
  for (const name of ['lib', 'package.json']) fs.cpSync(path.join(ROOT, name), path.join(modules, 'loopscope', name), { recursive: true })
  fs.copyFileSync(path.join(ROOT, 'examples/express.js'), path.join(dir, 'app.js'))
  // A listener of its own answers while the application is blocked.
  Object.assign(process.env, { PORT: '0', NODE_PRESERVE_SYMLINKS: '1', LOOPSCOPE_ADMIN_LISTEN: '127.0.0.1:0' })
  return path.join(dir, 'app.js')
}

async function openPage (app, page) {
  const { url } = await app.logged(record => record.url, 10_000)
  await page.goto(url)
  await page.locator('#findings > li').first().waitFor()
  return page
}

/** With a group of stalls opened, and the flame graph of the first finding. */
async function expand (page) {
  await page.locator('#stalls button.opener').first().click()
  await page.getByRole('button', { name: /^Flame graph of/ }).first().click()
  await page.locator('#flame g.frame').first().waitFor()
}

/** What a shop does all the time, and now and then what it should not do. */
async function load ({ url }) {
  const browsing = browse(url)
  for (const [method, route] of Array(5).fill([['POST', '/login'], ['POST', '/login'], ['GET', '/report']]).flat()) {
    await sleep(BETWEEN_MS)
    await (await fetch(url + route, { method })).text()
  }
  await browsing
}

/** Visitors do not wait for each other. */
async function browse (url) {
  const agent = new http.Agent({ keepAlive: true })
  const sent = []
  for (const endMs = performance.now() + LOAD_SECONDS * 1e3; performance.now() < endMs;) {
    // The server may close an idle connection at the moment in which it is used again.
    sent.push(new Promise(resolve => http.get(url, { agent }, response => response.resume().on('close', resolve)).on('error', resolve)))
    await sleep(BROWSE_EVERY_MS)
  }
  await Promise.all(sent)
  agent.destroy()
}

/** Everybody logs in at once. */
async function block ({ url }, page, act) {
  const logins = autocannon({ url: `${url}/login`, method: 'POST', connections: LOGINS_AT_ONCE, duration: LOGINS_SECONDS })
  await page.locator('#stuck:not([hidden])', { hasText: 'POST /login' }).waitFor()
  await act()
  await logins
}

async function flameGraph ({ pid }, dir) {
  const file = path.join(dir, 'flame.html')
  await promisify(execFile)(process.execPath, [path.join(ROOT, 'bin/loopscope.js'), 'profile', String(pid), '--last', String(LOAD_SECONDS), '--format', 'flamegraph', '-o', file])
  return file
}

async function photographGraph (page, file, image) {
  await page.goto(pathToFileURL(file).href)
  await page.waitForFunction(() => { // frames grow to their width
    const [root, svg] = ['#flame g.frame rect', '#flame .frames'].map(selector => document.querySelector(selector)?.getBoundingClientRect().width ?? 0)
    return root > 0 && root > svg - 2
  })
  await photograph(page, image, { last: '.hint' })
}

/** From the top of the page to the end of the first that `last` selects, or of the page. */
async function photograph (page, file, { last = 'body' } = {}) {
  const bottom = await page.locator(last).first().evaluate(element => element.getBoundingClientRect().bottom + element.ownerDocument.defaultView.scrollY)
  const { width } = page.viewportSize()
  await page.screenshot({ path: file, fullPage: true, clip: { x: 0, y: 0, width, height: Math.ceil(bottom) + MARGIN } })
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
