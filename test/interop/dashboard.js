/* global document -- inside page.evaluate() */
'use strict'

// The page of the admin surface in a real browser: before a real application, or before answers that a test makes up.

const assert = require('node:assert/strict')
const { get, recorded, run, TOKEN } = require('../admin/running')
const { STALL } = require('../admin/subject')
const { renderShell } = require('../../lib/observer/admin/dashboard')
const { findFindings } = require('../../lib/observer/findings/find-findings')
const { readings } = require('../findings/readings')
const { launch, openPage, skip } = require('./chromium')

const CANNED_URL = 'http://page.test/'

function createBrowser () {
  let browser

  const load = (t, url, options, prepare) => openPage(t, browser, url, { options: { reducedMotion: 'reduce', acceptDownloads: true, ...options }, prepare })

  /** @param {any} t */
  async function open (t, { token = TOKEN, env = {}, browserOptions = {}, prepare = async () => {} } = {}) {
    const app = await run(t, { env })
    const url = await app.listenerUrl()
    if (env.LOOPSCOPE_RECORDER !== 'false') await recorded(url)
    return { app, url, ...await load(t, `${url}/${token === null ? '' : `#token=${token}`}`, browserOptions, prepare) }
  }

  /**
   * @param {any} t
   * @param {Record<string, any>} answers  by path; a function gets the request, a number is a status
   */
  function openCanned (t, answers = {}, browserOptions = {}, hash = '') {
    const known = { ...ANSWERS, ...answers }
    const prepare = page => page.route('**/*', async route => {
      const { pathname } = new URL(route.request().url())
      if (pathname === '/' && route.request().isNavigationRequest()) {
        const { html, policy } = renderShell()
        return route.fulfill({ body: html, headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy } })
      }
      const found = known[pathname]
      const answer = typeof found === 'function' ? await found(route.request()) : found
      if (answer === undefined || typeof answer === 'number') return route.fulfill({ status: answer ?? 404, json: { detail: `Refused: ${answer ?? 404}.` } })
      return typeof answer === 'string' ? route.fulfill({ body: answer, contentType: 'text/event-stream' }) : route.fulfill({ json: answer })
    })
    return load(t, CANNED_URL + hash, browserOptions, prepare)
  }

  return {
    launch: async () => { browser = await launch() },
    close: () => browser?.close(),
    open,
    openCanned
  }
}

const FACTS = { appName: 'shop', appRoot: '/app', pid: 4242, startedAt: Date.now() - 3_600_000, nodeVersion: '24.0.0', version: '1.0.0', keepSeconds: 60, hz: 100, stallThresholdMs: 100 }
const MEMORY = { rssBytes: 8e7, heapUsedBytes: 3e7, heapTotalBytes: 5e7, externalBytes: 2e6, spaces: [{ name: 'old_space', usedBytes: 2e7, sizeBytes: 3e7 }], trend: null }

/** Of a process in good health. @type {Record<string, any>} */
const ANSWERS = {
  '/': { facts: FACTS, kinds: [{ kind: 'cpu' }, { kind: 'heap-snapshot' }], endpoint: 'listener' },
  '/loop': () => loop(),
  '/live': () => live(['loop', loop()]),
  '/stalls': { stalls: [], current: null, totals: { count: 0, blockedMs: 0, byCause: [], byRoute: [] }, blockedMs: 0 },
  '/sync-calls': { sampled: [], exact: null },
  '/memory': { pid: 77, at: 1e12, rssBytes: 2e8, owners: [{ owner: 'buffers', name: null, bytes: 1.5e8, allocatedBytes: 1.5e8 }, { owner: 'heap', name: null, bytes: 5e7, allocatedBytes: 5e7 }], unknownWorkers: 0, measuredAt: 1e12, isStale: false, growing: [{ owner: 'buffers', name: null, bytes: 1.5e8, bytesPerMinute: 1.25e7, grownBytes: 1e8, minutes: 8 }], container: { usedBytes: 4e8, limitBytes: 5e8 }, sitesAt: null, recent: [1, 2, 3].map(at => ({ at: 1e12 + at * 1e4, bytes: { heap: 5e7, buffers: at * 5e7 } })), coarse: [] },
  '/threads': { off: 'option threads is false', unwatched: 0, threads: [], stalls: [], load: null },
  '/rules': { dryRun: false, rules: [] },
  '/findings': findFindings(readings(), { appName: 'shop' }),
  '/requests': { at: Date.now(), ageMs: 0, isStale: false, blockedMs: 0, total: 0, upgraded: 0, running: null, requests: [] },
  '/waits': { seconds: null, seen: null, sampled: 0, seesCallbacks: false, isStale: false, routes: [] },
  '/slow-requests': { isStale: false, requests: [] },
  '/captures': { captures: [] },
  '/artifacts': { artifacts: [] }
}

/** What /loop and the event of that name say; the one has `delay`, the other `utilization`. */
function loop (changes = {}) {
  const now = Date.now()
  return {
    at: now,
    maxDelayMs: 3,
    blockedMs: 0,
    delay: { utilization: 0.25 },
    utilization: 0.25,
    answered: 100,
    memory: MEMORY,
    requests: { answered: 100, inFlight: 2 },
    recorder: { off: null, fromMs: now - 60_000 },
    series: Array.from({ length: 60 }, (_, second) => ({ at: now - (60 - second) * 1000, maxDelayMs: second === 30 ? 20_000 : 5, utilization: 0.25, answered: 40 + second })),
    answeredAt: now,
    isStale: false,
    ...changes
  }
}

/** Server-sent events. @param {[name: string, data: any][]} events */
function live (...events) {
  return events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join('')
}

/** The answer of /stalls. */
function stallsAnswer (stalls) {
  const blockedMs = stalls.reduce((sum, { durationMs }) => sum + durationMs, 0)
  return { stalls, current: null, totals: { count: stalls.length, blockedMs, byCause: [], byRoute: [{ route: stalls[0].route, count: stalls.length, ms: blockedMs }] }, blockedMs: 0 }
}

const shown = page => page.locator('main:not([hidden])').waitFor()

async function assertFits (page) {
  const sticksOut = await page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement
    const cut = [...document.querySelectorAll('main *')].filter(element => element.getBoundingClientRect().right > clientWidth + 1 && !element.closest('svg, #sections'))
    return [scrollWidth > clientWidth, ...cut.map(element => element.outerHTML.slice(0, 100))]
  })
  assert.deepEqual(sticksOut, [false])
}

module.exports = { ANSWERS, assertFits, createBrowser, FACTS, get, live, loop, shown, skip, STALL, stallsAnswer, TOKEN }
