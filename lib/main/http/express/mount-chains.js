'use strict'

// The ways from an Express application down to one of its routes: for each way, the mounts that it goes through.
// Reads the routers' stacks and changes nothing.

const { mountOfLayer, mountOfPath } = require('./mounts')

/** @import { Mount } from './mounts' */

/** @typedef {{ mounts: Mount[], layer: any }} Chain  layer: the one that holds the route */

// A router mounted in many places has a way through each; further ones are masked instead of searched.
const MAX_CHAINS = 50

/**
 * @param {any} app  the application that answers, `request.app`
 * @param {object} route
 * @returns {Chain[]} outermost mount first; empty when the application does not lead to the route
 */
function findChains (app, route) {
  /** @type {Chain[]} */
  const chains = []
  /** The stacks above the one that is read: a router may contain itself. @type {Set<unknown>} */
  const above = new Set()

  /**
   * @param {any[]} stack
   * @param {Mount[]} mounts
   */
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
 * A sub-application hides behind a closure of its parent, but knows the parent and the last place it was mounted at. Another place may be
 * any at which the parent has mounted an application.
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
  // Express 4 has a `router` too, which throws; an application is recognised by its `set`.
  const router = typeof handler.set !== 'function' ? handler : handler._router ?? (handler.lazyrouter ? null : handler.router)
  return Array.isArray(router?.stack) ? router.stack : null
}

module.exports = { findChains }
