'use strict'

// The entry: for a browser the shell of the page, which holds no data; for a program what there is and where.

const { createResponse, json } = require('../../../shared/admin/responses')
const { KINDS } = require('../../../shared/captures/kinds')
const { MAX_CLIENTS } = require('./live')

/** @import { AdminRequest, Context, RouteRow } from '../router' */

/**
 * @param {readonly RouteRow[]} routes  the others
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
  // Loaded when the first browser comes: it reads the libraries of the page.
  const { html, policy } = require('../dashboard').renderShell()
  return createResponse(200, html, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    'X-Frame-Options': 'DENY'
  })
}

/**
 * @param {Context} context
 * @param {readonly RouteRow[]} routes
 */
function index ({ request: { base, door }, sources }, routes) {
  const links = routes.flatMap(({ name, path, title }) => title === undefined ? [] : [[toCamelCase(name), { href: base + path, title }]])
  return json(200, {
    facts: { ...sources.facts, isInGroup: sources.isInGroup, mark: sources.marks().at(-1) ?? null },
    door,
    kinds: Object.entries(KINDS).map(([kind, { formats, options }]) => ({ kind, formats, options })),
    limits: { maxSeconds: 300, maxLastSeconds: 600, maxLiveClients: MAX_CLIENTS },
    _links: Object.fromEntries(links)
  })
}

/** @param {string} name */
function toCamelCase (name) {
  return name.replace(/-(.)/g, (_, letter) => letter.toUpperCase())
}

module.exports = { createIndexRoute }
