'use strict'

// The template of the route of Express that a request matched, as the application wrote it, whatever routers and sub-applications it lies
// under. A value of a path never shows in it. Whatever Express keeps differently some day leads to a masked path, never to an error.

const { findChains } = require('./mount-chains')
const { compileTemplate } = require('./template-pattern')
const { maskPath } = require('../mask-path')
const { pathnameOf } = require('../pathname')

/** @import { Mount } from './mounts' */

/**
 * What is known of an Express Route. Its templates differ by path only when it is mounted in several places, or under
 * parameters, so the last answer is kept with the base it was for.
 * @typedef {object} RouteFacts
 * @property {unknown[]} apps  the applications whose chains are known; a router may stand in several
 * @property {Mount[][]} chains
 * @property {boolean} isKeepable  one path: the base alone decides, once it is not empty or the route is in no router
 * @property {string | null} lastBase
 * @property {string} lastTemplate
 */

/** @type {WeakMap<object, RouteFacts>} */
const factsByRoute = new WeakMap()

/**
 * @param {any} route  of a request
 * @returns {boolean} whether it is one of Express that answers one path, and not whatever another framework makes of the rest
 */
function isOnePath (route) {
  return typeof route?.path === 'string' && !route.path.includes('*')
}

/**
 * @param {any} request
 * @param {any} route  that it has
 * @returns {string | null | undefined} null for a request that no route and no mount of an application answers; undefined where there is
 *   no application of Express
 */
function expressTemplate (request, route) {
  const base = request.baseUrl || ''
  if (route !== undefined && route !== null && route.path !== undefined) {
    const facts = factsByRoute.get(route) ?? learnRoute(route)
    return facts.lastBase === base ? facts.lastTemplate : resolve(request, route, facts, base)
  }
  return base === '' && typeof request.app?.set === 'function' ? null : undefined
}

/**
 * @param {any} route
 * @returns {RouteFacts}
 */
function learnRoute (route) {
  const facts = { apps: [], chains: [], isKeepable: typeof route.path === 'string', lastBase: null, lastTemplate: '' }
  factsByRoute.set(route, facts)
  return facts
}

/**
 * @param {any} app
 * @param {any} route
 * @param {RouteFacts} facts
 */
function learnApp (app, route, facts) {
  facts.apps.push(app)
  try {
    facts.chains.push(...findChains(app, route))
  } catch {} // stacks of another shape: the path is masked instead
}

/**
 * @param {any} request
 * @param {any} route
 * @param {RouteFacts} facts
 * @param {string} base
 */
function resolve (request, route, facts, base) {
  if (!facts.apps.includes(request.app)) learnApp(request.app, route, facts)
  const path = pathnameOf(request)
  // An error that left a nested router has put the base back, so then the whole path is what the mounts are held against.
  const prefix = prefixOf(facts.chains, base === '' ? path : base, base !== '') ?? maskPath(base, request.params ?? {})
  const template = join(prefix, routePath(route.path, path, prefix, base))
  const isFlat = facts.chains.every(chain => chain.length === 0)
  if (facts.isKeepable && (base !== '' || isFlat)) Object.assign(facts, { lastBase: base, lastTemplate: template })
  return template
}

/**
 * @param {Mount[][]} chains
 * @param {string} path
 * @param {boolean} isWhole  the mounts must take all of the path
 * @returns {string | null}
 */
function prefixOf (chains, path, isWhole) {
  for (const chain of chains) {
    const prefix = walk(chain, path, isWhole)
    if (prefix !== null) return prefix
  }
  return null
}

/**
 * @param {Mount[]} chain
 * @param {string} path
 * @param {boolean} isWhole
 */
function walk (chain, path, isWhole) {
  let prefix = ''
  let rest = path
  for (const mount of chain) {
    const taken = mount.match(rest)
    if (taken === null) return null
    prefix += taken.template
    rest = rest.slice(taken.length)
  }
  return isWhole && rest !== '' && rest !== '/' ? null : prefix
}

/**
 * @param {unknown} path  of the route: text, expression, or an array of both
 * @param {string} pathname
 * @param {string} prefix
 * @param {string} base
 * @returns {string}
 */
function routePath (path, pathname, prefix, base) {
  if (path instanceof RegExp) return path.source
  if (!Array.isArray(path)) return String(path)
  const paths = path.flat(Infinity)
  const matching = paths.find(one => one instanceof RegExp
    // search() leaves the lastIndex of the user's expression alone
    ? pathname.slice(base.length).search(one) !== -1
    : compileTemplate(join(prefix, String(one)), { isPrefix: false })?.test(pathname))
  return matching === undefined ? paths.map(one => routePath(one, '', '', '')).join('|') : routePath(matching, '', '', '')
}

/**
 * @param {string} prefix
 * @param {string} path
 */
function join (prefix, path) {
  return path === '/' && prefix !== '' ? prefix : prefix + path
}

module.exports = { expressTemplate, isOnePath }
