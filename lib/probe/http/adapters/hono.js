'use strict'

// Hono adapter for @hono/node-server. A context leads to its request and to the matched route, but not back. So the adapter intercepts the context
// where a handler reads the request from it, which is also where a handler gets its path parameters. For a handler that never reads it, the
// path is masked.

const { createRequire } = require('node:module')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { unattended } = require('../../../base/guard')
const { hasFramework, loadedExports, setFramework } = require('../set-route')

/** @import { Framework } from '../set-route' */

const COMMONJS = /[\\/]hono[\\/]dist[\\/]cjs[\\/]context\.js$/
const COMMONJS_ENTRY = path.normalize('/dist/cjs/index.js')
const MODULE = path.normalize('/dist/context.js')

/** The last match is the handler; those before it are middleware. @param {any} context */
function readTemplate (context) {
  const template = context.req.matchedRoutes?.at(-1)?.path
  return typeof template !== 'string' || template.endsWith('*') ? undefined : template
}

/** @type {Framework} */
const HONO = { readTemplate, readHandlers: context => [context.req.matchedRoutes?.at(-1)?.handler] }

class HonoWatch {
  /** @type {Map<any, { own: PropertyDescriptor, replaced: PropertyDescriptor }>} prototype of a context */
  #watched = new Map()
  #running = false

  start () {
    this.#running = true
  }

  /** Call it on a server's first request: by then its application is loaded. */
  attachToLoaded () {
    for (const exported of loadedExports(COMMONJS)) this.#watch(exported?.Context?.prototype)
    if (isNodeServerLoaded()) unattended(this.#attachToModule())
  }

  stop () {
    this.#running = false
    for (const [prototype, { own, replaced }] of this.#watched) {
      if (Object.getOwnPropertyDescriptor(prototype, 'req')?.get === own.get) Object.defineProperty(prototype, 'req', replaced)
    }
    this.#watched.clear()
  }

  /** An ES module that the application has imported is found by importing it again. */
  async #attachToModule () {
    const file = moduleFile()
    if (file === null) return
    const exported = await import(/* webpackIgnore: true */ pathToFileURL(file).href).catch(() => null)
    if (this.#running) this.#watch(exported?.Context?.prototype)
  }

  /** @param {any} prototype */
  #watch (prototype) {
    const replaced = prototype && Object.getOwnPropertyDescriptor(prototype, 'req')
    if (typeof replaced?.get !== 'function' || this.#watched.has(prototype)) return
    const own = { ...replaced, get: hookGetter(replaced.get) }
    Object.defineProperty(prototype, 'req', own)
    this.#watched.set(prototype, { own, replaced })
  }
}

/** @param {() => any} get */
function hookGetter (get) {
  /** @this {any} */
  return function req () {
    const request = this.env?.incoming
    if (request !== undefined && request !== null && !hasFramework(request)) setFramework(request, this, HONO)
    return get.call(this)
  }
}

/** @hono/node-server replaces the global Request by a subclass. */
function isNodeServerLoaded () {
  if (!isFetchLoaded()) return false
  const value = Object.getOwnPropertyDescriptor(globalThis, 'Request')?.value
  return typeof value === 'function' && Object.getPrototypeOf(value) !== Function.prototype
}

/**
 * Whether Request, Node.js's own, has been used. Node.js loads it on first use, from Node 22 on even when its property is only read: 60 ms of the
 * main thread and 14 MB.
 */
function isFetchLoaded () {
  const { moduleLoadList } = /** @type {{ moduleLoadList?: string[] }} */ (/** @type {unknown} */ (process))
  return moduleLoadList?.some(name => name.endsWith('undici/undici')) ?? true
}

/** @returns {string | null} the file of the application's Hono as an ES module */
function moduleFile () {
  try {
    const entry = createRequire(path.resolve(process.argv[1])).resolve('hono')
    return entry.endsWith(COMMONJS_ENTRY) ? entry.slice(0, -COMMONJS_ENTRY.length) + MODULE : null
  } catch {
    return null
  }
}

module.exports = { HonoWatch }
