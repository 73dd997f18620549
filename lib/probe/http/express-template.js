'use strict'

// The template of the Express route that a request matched, as the application wrote it, under any nesting of routers and sub-applications. It never
// contains a value of a path. If Express changes its internals, the result is a masked path, never an error.

const { compileTemplate, matchLayer, mountOfLayer, mountOfPath } = require('./express-mounts')
const { maskPath, pathOf, pathnameOf } = require('./mask-path')

/** @import { Mount, MountMatch } from './express-mounts' */

/** @typedef {{ mounts: Mount[], layer: any }} Chain  a way from an application to a route: the mounts it goes through, and the layer that holds the route */

/**
 * @typedef {object} Place  the position of a route for one request
 * @property {string} prefix  template of the mounts that lead to it
 * @property {string} rest    of the path
 * @property {boolean} isCurrent  the request is still in this route
 */

/**
 * What is cached about an Express route.
 * @typedef {object} RouteFacts
 * @property {unknown[]} apps  the applications whose chains were searched; a router may be in several
 * @property {Chain[]} chains
 * @property {string | null} lastBase  with one chain and one path, the base alone decides
 * @property {string} lastTemplate
 */

// A router mounted in many places has one chain for each; further ones are masked instead of searched.
const MAX_CHAINS = 50

const MAX_SEGMENTS = 20 // path segments that are tried as a prefix

// As the versions of Express write it, and as the source of an expression.
const EVERY_PATH = /^\^?(\\?\/)?(\*\w*|\{\*\w+\}|\{\/\*\w+\}|\.\*|\(\.\*\))\$?$/

/** @type {WeakMap<object, RouteFacts>} */
const factsByRoute = new WeakMap()

/**
 * @param {any} route  of a request
 * @returns {boolean} whether it is an Express route for one path, and not a catch-all for another framework
 */
function isOnePath (route) {
  return typeof route?.path === 'string' && !route.path.includes('*')
}

/**
 * @param {any} route  of a request
 * @returns {boolean} whether it is an Express route for every path: what it calls, such as React Router, has the routes
 */
function isEveryPath (route) {
  return EVERY_PATH.test(shown(route?.path))
}

/**
 * @param {any} request
 * @param {any} route  the request's route
 * @returns {string | null | undefined} null for a request that no route and no mount of an application answers; undefined where there is
 *   no Express application
 */
function expressTemplate (request, route) {
  const base = request.baseUrl || ''
  if (route !== undefined && route !== null && route.path !== undefined) {
    const facts = factsByRoute.get(route) ?? learnRoute(route)
    return facts.lastBase === base ? facts.lastTemplate : resolve(request, route, facts, base)
  }
  return base === '' && typeof request.app?.set === 'function' ? null : undefined
}

/** @param {any} route @returns {RouteFacts} */
function learnRoute (route) {
  const facts = { apps: [], chains: [], lastBase: null, lastTemplate: '' }
  factsByRoute.set(route, facts)
  return facts
}

/** @param {any} app @param {any} route @param {RouteFacts} facts */
function learnApp (app, route, facts) {
  facts.apps.push(app)
  try {
    facts.chains.push(...findChains(app, route))
  } catch {} // stacks in another format: the path is masked instead
}

/** @param {any} request @param {any} route @param {RouteFacts} facts @param {string} base */
function resolve (request, route, facts, base) {
  if (!facts.apps.includes(request.app)) learnApp(request.app, route, facts)
  const { chains } = facts
  const params = request.params ?? {}
  const path = base + pathOf(request.url ?? '') // middleware may have rewritten it, before the router or since
  const asked = pathnameOf(request)
  const place = findPlace(chains, route, path, base, params) ??
    (asked.startsWith(base) ? findPlace(chains, route, asked, base, params) : null) ??
    placeAtBase(chains, asked, base) ?? unknownPlace(route, asked, base, params)
  const template = join(place.prefix, routePath(route.path, place.rest))
  if (place.isCurrent && chains.length === 1 && typeof route.path === 'string') Object.assign(facts, { lastBase: base, lastTemplate: template })
  return template
}

/**
 * When a request leaves a router, by next() or with an error, Express restores the base and the parameters, but not the route. So the chain that
 * takes the base, and whose parameters the request has, is the current one. If there is none, the request has left the router, and came through
 * the first chain that leads to the route.
 * @param {Chain[]} chains
 * @param {any} route
 * @param {string} path  begins with the base
 * @param {string} base
 * @param {object} params
 * @returns {Place | null}
 */
function findPlace (chains, route, path, base, params) {
  let first = null
  for (const { mounts, layer } of chains) {
    const taken = walk(mounts, path)
    if (taken === null) continue
    const rest = restOf(path, taken.length)
    const names = parametersOf(route.path, layer, rest)
    if (names === null) continue
    const isCurrent = taken.length === base.length && names.every(name => name in params)
    const place = { prefix: taken.template, rest, isCurrent }
    if (isCurrent) return place
    first ??= place
  }
  return first
}

/**
 * For a path that was rewritten after the route was found.
 * @param {Chain[]} chains
 * @param {string} path
 * @param {string} base
 * @returns {Place | null}
 */
function placeAtBase (chains, path, base) {
  for (const { mounts } of chains) {
    const taken = walk(mounts, base)
    if (taken?.length === base.length) return { prefix: taken.template, rest: restOf(path, base.length), isCurrent: false }
  }
  return null
}

/**
 * For a route that no application leads to: it is hidden in an application that another one has mounted, or the router is used on its own.
 * @param {any} route
 * @param {string} path
 * @param {string} base
 * @param {Record<string, unknown>} params
 * @returns {Place}
 */
function unknownPlace (route, path, base, params) {
  const answers = (/** @type {number} */ length) => routePathOf(route.path, restOf(path, length)) !== null
  const prefix = answers(base.length) ? base : prefixes(path).find(({ length }) => answers(length)) ?? base
  return { prefix: maskPath(prefix, params), rest: restOf(path, prefix.length), isCurrent: false }
}

/** @param {string} path */
function prefixes (path) {
  return [...path.matchAll(/\//g)].slice(0, MAX_SEGMENTS).map(({ index }) => path.slice(0, index))
}

/** @param {Mount[]} mounts @param {string} path @returns {MountMatch | null} the part that all of them take together */
function walk (mounts, path) {
  let template = ''
  let length = 0
  for (const mount of mounts) {
    const taken = mount(path.slice(length))
    if (taken === null) return null
    template += taken.template
    length += taken.length
  }
  return { template, length }
}

/**
 * @param {string} path
 * @param {number} length  taken by mounts
 * @returns {string} the rest for the router
 */
function restOf (path, length) {
  const rest = path.slice(length)
  return rest[0] === '/' ? rest : `/${rest}`
}

/**
 * @param {unknown} path  of the route
 * @param {any} layer     that holds the route
 * @param {string} rest
 * @returns {string[] | null} the names of the parameters, as far as available; null: the route does not match
 */
function parametersOf (path, layer, rest) {
  if (typeof path !== 'string') return routePathOf(path, rest) === null ? null : []
  const match = matchLayer(layer, rest)
  return match && Object.keys(match.params)
}

/**
 * @param {unknown} path  of the route: text, expression, or an array of both
 * @param {string} rest   the matched rest
 */
function routePath (path, rest) {
  return routePathOf(path, rest) ?? (Array.isArray(path) ? path.flat(Infinity) : [path]).map(shown).join('|')
}

/** @param {unknown} path @param {string} rest @returns {string | null} the path that matches; null: none does */
function routePathOf (path, rest) {
  const paths = Array.isArray(path) ? path.flat(Infinity) : [path]
  const matching = paths.find(one => one instanceof RegExp
    ? rest.search(one) !== -1 // does not change the lastIndex of the user's expression
    : compileTemplate(String(one), { isPrefix: false })?.test(rest))
  return matching === undefined ? null : shown(matching)
}

/** @param {unknown} path */
function shown (path) {
  return path instanceof RegExp ? path.source : String(path)
}

/** @param {string} prefix @param {string} path */
function join (prefix, path) {
  return path === '/' && prefix !== '' ? prefix : prefix + path
}

/**
 * Reads the routers' stacks and changes nothing.
 * @param {any} app  the application that handles the request, `request.app`
 * @param {object} route
 * @returns {Chain[]} outermost mount first; empty when the application does not lead to the route
 */
function findChains (app, route) {
  /** @type {Chain[]} */
  const chains = []
  /** The stacks above the one that is read: a router may contain itself. @type {Set<unknown>} */
  const above = new Set()

  /** @param {any[]} stack @param {Mount[]} mounts */
  function descend (stack, mounts) {
    if (above.has(stack)) return
    above.add(stack)
    for (const layer of stack) {
      if (chains.length === MAX_CHAINS) break
      if (layer.route === route) chains.push({ mounts, layer })
      const inner = layer.route ? null : stackOf(layer.handle)
      if (inner !== null) descend(inner, [...mounts, mountOfLayer(layer)])
    }
    above.delete(stack)
  }

  const stack = stackOf(app)
  if (stack !== null) for (const mounts of mountsAbove(app)) descend(stack, mounts)
  return chains
}

/**
 * A sub-application is hidden in a closure of its parent, but has the parent and its last mount path. Any other path may be any at which the
 * parent has mounted an application.
 * @param {any} app
 * @returns {Mount[][]} each outermost first
 */
function mountsAbove (app) {
  if (!app.parent) return [[]]
  const places = (stackOf(app.parent) ?? []).filter(({ handle }) => handle.name === 'mounted_app')
  const mounts = [mountOfPath(app.mountpath), ...places.length > 1 ? places.map(mountOfLayer) : []]
  return mountsAbove(app.parent).flatMap(above => mounts.map(mount => [...above, mount])).slice(0, MAX_CHAINS)
}

/**
 * @param {any} handler  a router, an application of Express 4 (_router) or 5 (router), or a plain function
 * @returns {any[] | null}
 */
function stackOf (handler) {
  if (handler === undefined || handler === null) return null
  // Express 4 has a `router` too, which throws; an application is recognized by its `set`.
  const router = typeof handler.set !== 'function' ? handler : handler._router ?? (handler.lazyrouter ? null : handler.router)
  return Array.isArray(router?.stack) ? router.stack : null
}

module.exports = { expressTemplate, isEveryPath, isOnePath }
