'use strict'

// The table of routes, with the allowed cost of each for the application's thread. To add one: a row in a file of routes/ (one file per family), and
// a test.

const artifacts = require('./routes/artifacts')
const { createCaptureRoutes } = require('./routes/captures')
const { createGroupRoutes } = require('./routes/group')
const { MAX_CLIENTS, createLiveRoutes } = require('./routes/live')
const metrics = require('./routes/metrics')
const pprof = require('./routes/pprof')
const profiles = require('./routes/profiles')
const { createReadingRoutes } = require('./routes/readings')
const { createResponse, json } = require('../../shared/admin/responses')
const { KINDS } = require('../../shared/captures/kinds')

/** @import { AdminRequest, Context, RouteRow } from './router' */

/** State that routes share (running captures, connected clients) belongs to one application. @returns {RouteRow[]} */
function createRoutes () {
  const routes = [
    ...createReadingRoutes(),
    ...metrics.routes,
    ...createLiveRoutes(),
    ...profiles.routes,
    ...pprof.routes,
    ...createCaptureRoutes(),
    ...artifacts.routes,
    ...createGroupRoutes()
  ]
  return [createIndexRoute(routes), ...routes]
}

/**
 * What a route may cost the application's thread, and what limits it: each method of each route declares one of these. The routes and the sources
 * comply with it; a test requests all of them at once, many times, and counts.
 */
const COSTS = Object.freeze({
  nothing: 'the observer answers by itself',
  question: 'a short question, one at a time: callers that arrive meanwhile share the next answer',
  findings: 'two short questions a second apart, and the recorder ends its window: one at a time, shared, and a second of rest',
  threads: 'watched worker threads end their windows, which pass through the main thread: one at a time, shared',
  waits: 'requests are sampled for as long as asked, at a twentieth of a core, and the recorder ends its window',
  sites: 'allocations are sampled for as long as asked, and read six times, which collects garbage: one at a time, shared, and at most 3 % of the time',
  window: 'the recorder ends its window, at most ten times a second',
  reading: 'sampled allocations are read, which collects garbage: one at a time, shared, and at most a tenth of the time',
  report: 'a diagnostic report is made: one at a time, shared, within the budget of its kind',
  profiles: 'each process of the group is asked for a profile, at the cost of its own: four at a time',
  group: 'each process of the group is asked what one costs: one question at a time, shared',
  capture: 'a capture, within the budget of its kind',
  captures: 'a capture in each process of the group, each within its own budget; one of a kind at a time'
})

/** @typedef {keyof typeof COSTS} Cost */

/**
 * The index: for a browser the shell of the page, which contains no data; for a program the list of routes.
 * @param {readonly RouteRow[]} routes  the other routes
 * @returns {RouteRow}
 */
function createIndexRoute (routes) {
  return {
    name: 'index',
    path: '/',
    methods: {
      GET: {
        scope: 'metrics',
        cost: 'nothing',
        isOpen: wantsPage,
        handle: context => wantsPage(context.request) ? page() : index(context, routes)
      }
    }
  }
}

/** @param {AdminRequest} request */
function wantsPage ({ headers }) {
  return String(headers.accept ?? '').includes('text/html')
}

function page () {
  // Loaded with the first request of a browser: it reads the libraries of the page.
  const { html, policy } = require('./dashboard').renderShell()
  return createResponse(200, html, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    'X-Frame-Options': 'DENY'
  })
}

/** @param {Context} context @param {readonly RouteRow[]} routes */
function index ({ request: { base, endpoint }, sources }, routes) {
  const links = routes.flatMap(({ name, path, title }) => title === undefined ? [] : [[toCamelCase(name), { href: base + path, title }]])
  return json(200, {
    facts: { ...sources.facts, isInGroup: sources.isInGroup, mark: sources.marks().at(-1) ?? null },
    endpoint,
    kinds: Object.entries(KINDS).map(([kind, { formats, options }]) => ({ kind, formats, options })),
    limits: { maxSeconds: 300, maxLastSeconds: 600, maxLiveClients: MAX_CLIENTS },
    _links: Object.fromEntries(links)
  })
}

/** @param {string} name */
function toCamelCase (name) {
  return name.replace(/-(.)/g, (_, letter) => letter.toUpperCase())
}

module.exports = { COSTS, createRoutes }
