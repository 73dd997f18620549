'use strict'

// The admin surface, wired: for each application of the process a router with what it reads from and acts on, its listener
// when it has one, and the control socket of the process, which shows the first application.

const { createControlSocket } = require('./listeners/control-socket')
const { createWorkerGroup } = require('../../shared/admin/worker-group')
const { workerAddress } = require('./listeners/worker-address')
const { createRelayReceiver } = require('../../bridge/relay')
const { createAdminSources } = require('./admin-sources')

/** @import { ListenAddress } from '../../main/admin/address' */
/** @import { WorkerFacts } from './listeners/worker-address' */
/** @import { Handle } from '../../shared/admin/exchange' */
/** @import { Site } from './router' */
/** @import { SiteSettings } from './admin-sources' */

/** @typedef {Parameters<typeof createAdminSources>[0]} SourceParts */

/**
 * @typedef {Site & SiteSettings & { basePath: string, listen: ListenAddress | null, worker: (WorkerFacts & { controlDir: string }) | null, controlDir: string | null }} AdminSite
 *
 * @typedef {object} OpenSite
 * @property {Handle} handle
 * @property {ReturnType<typeof import('./listeners/listener').createListener> | null} listener
 * @property {AbortController} closed
 */

/** @param {Omit<SourceParts, 'site'>} parts */
function createAdmin (parts) {
  return new Admin(parts)
}

class Admin {
  #parts
  /** In order of opening. @type {Map<number, OpenSite>} */
  #sites = new Map()
  /** @type {ReturnType<typeof createControlSocket> | undefined} */
  #controlSocket
  relay = createRelayReceiver({ handlerOf: site => this.#sites.get(site)?.handle })

  /** @param {Parameters<typeof createAdmin>[0]} parts */
  constructor (parts) {
    this.#parts = parts
  }

  /**
   * @param {AdminSite} site
   * @returns {Promise<{ url: string | null, listenProblem: string | null, controlProblem: string | null }>}
   */
  async open (site) {
    this.#parts.series.start()
    const handle = this.#makeHandle(site)
    /** @type {OpenSite} */
    const opened = { handle, listener: null, closed: new AbortController() }
    this.#sites.set(site.id, opened)
    const controlProblem = await problemOf(() => this.#openControlSocket(site.controlDir))
    let url = null
    const listenProblem = await problemOf(async () => { url = await this.#listen(site, opened) })
    return { url, listenProblem: opened.closed.signal.aborted ? null : listenProblem, controlProblem }
  }

  /**
   * @param {AdminSite} site
   * @param {OpenSite} opened
   */
  async #listen ({ listen, worker, basePath }, opened) {
    if (listen === null) return null
    const { signal } = opened.closed
    const address = worker === null ? listen : await workerAddress(listen, worker, createWorkerGroup(worker), signal)
    signal.throwIfAborted()
    opened.listener = require('./listeners/listener').createListener({ address, basePath, handle: opened.handle })
    return opened.listener.start()
  }

  /** @param {number} id */
  async close (id) {
    const site = this.#sites.get(id)
    this.#sites.delete(id)
    this.#parts.main.forget(id)
    site?.closed.abort()
    await site?.listener?.stop()
    if (this.#sites.size > 0) return
    this.relay.close()
    await this.#controlSocket?.stop()
    this.#controlSocket = undefined
    this.#parts.series.stop()
  }

  async closeAll () {
    for (const id of [...this.#sites.keys()]) await this.close(id)
  }

  /**
   * The router, the routes and what they need are loaded with the first request.
   * @param {AdminSite} site
   * @returns {Handle}
   */
  #makeHandle (site) {
    /** @type {Handle | undefined} */
    let handle
    return (...request) => {
      handle ??= this.#makeRouter(site).handle
      return handle(...request)
    }
  }

  /** @param {AdminSite} site */
  #makeRouter (site) {
    const { createRouter } = require('./router')
    const { createRoutes } = require('./routes')
    return createRouter({ site, sources: createAdminSources({ ...this.#parts, site }), routes: createRoutes() })
  }

  /** @param {string | null} directory  null: the process is to have none */
  async #openControlSocket (directory) {
    if (directory === null || this.#controlSocket !== undefined) return
    /** @type {Handle} */
    const handle = async (request, signal) => {
      const [first] = this.#sites.values()
      return first.handle(request, signal)
    }
    this.#controlSocket = createControlSocket({ directory, pid: process.pid, handle })
    await this.#controlSocket.start()
  }
}

/**
 * @param {() => Promise<void>} work
 * @returns {Promise<string | null>} what went wrong
 */
async function problemOf (work) {
  try {
    await work()
    return null
  } catch (error) {
    return /** @type {Error} */ (error).message
  }
}

module.exports = { createAdmin }
