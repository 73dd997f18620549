'use strict'

// The socket through which the command line reaches this process. Only this user can open it: a 0600 file in a 0700
// directory. node:http is loaded with the first connection; most processes are never asked.

const fs = require('node:fs')
const net = require('node:net')
const { once } = require('node:events')
const path = require('node:path')
const { guarded } = require('../../../shared/base/guard')
const { isAlive } = require('../../../shared/system/is-alive')
const { holdControlDirectory } = require('../../../shared/admin/control-directory')
const { controlSocketName } = require('../../../shared/admin/control-path')
const { assertPathFits, listenOnSocket } = require('./socket-path')

/** @import { RequestHandler } from '../../../shared/admin/exchange' */

/**
 * @param {object} parts
 * @param {string} parts.directory
 * @param {number} parts.pid
 * @param {RequestHandler} parts.handle
 */
function createControlSocket (parts) {
  return new ControlSocket(parts)
}

class ControlSocket {
  #parts
  /** @type {net.Server | undefined} */
  #server
  /** @type {ReturnType<typeof holdControlDirectory> | undefined} */
  #directory
  /** @type {import('node:http').Server | undefined} */
  #http
  /** @type {Set<net.Socket>} */
  #sockets = new Set()

  /** @param {Parameters<typeof createControlSocket>[0]} parts */
  constructor (parts) {
    this.#parts = parts
  }

  get running () { return this.#server !== undefined }
  get path () { return path.join(this.#parts.directory, controlSocketName(this.#parts.pid)) }

  async start () {
    if (this.running) return
    assertPathFits(this.path)
    this.#directory = holdControlDirectory(this.#parts.directory)
    try {
      removeStale(this.#directory.name)
      await this.#listen(path.join(this.#directory.name, controlSocketName(this.#parts.pid)))
    } catch (error) {
      this.#release()
      throw error
    }
  }

  /** @param {string} file */
  async #listen (file) {
    const server = net.createServer(guarded(socket => this.#accept(socket)))
    await listenOnSocket(server, file)
    this.#server = server
  }

  async stop () {
    const server = this.#server
    this.#server = undefined
    if (server === undefined || !server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
    this.#release() // not before: closing removes the socket by its name in there
  }

  #release () {
    this.#directory?.release()
    this.#directory = undefined
  }

  /** @param {net.Socket} socket */
  #accept (socket) {
    this.#sockets.add(socket)
    socket.once('close', guarded(() => this.#sockets.delete(socket)))
    this.#http ??= this.#createHttp()
    this.#http.emit('connection', socket)
  }

  #createHttp () {
    const { createServer } = require('./listener')
    const { exchange } = require('../../../shared/admin/exchange')
    const { splitTarget } = require('../../../shared/admin/target')
    return createServer((incoming, outgoing) => {
      const target = incoming.url ?? '/'
      const location = splitTarget(target, '') ?? { base: '', path: target, query: '' }
      return exchange(incoming, outgoing, { door: 'control', ...location }, this.#parts.handle)
    })
  }
}

/**
 * Sockets of processes that were killed.
 * @param {string} directory
 */
function removeStale (directory) {
  for (const name of fs.readdirSync(directory)) {
    const [, pid] = /^(\d+)\.sock$/.exec(name) ?? []
    if (pid !== undefined && !isAlive(Number(pid))) fs.rmSync(path.join(directory, name), { force: true })
  }
}

module.exports = { createControlSocket }
