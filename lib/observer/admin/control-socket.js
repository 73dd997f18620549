'use strict'

// The socket through which the command line and the other processes of the group reach this process, and the file of facts beside it. Only this user
// can open it: a 0600 file in a 0700 directory, on Windows a pipe whose name is in this user's folder. node:http is loaded with the first connection; most sockets never get one.

const net = require('node:net')
const { once } = require('node:events')
const { guarded } = require('../../base/guard')
const { holdControlDirectory, controlSocketName, hasNamedPipes, newControlPipe } = require('../../shared/admin/control-directory')
const { addressOf, removeFacts, socketNameOfNamespace, writeFacts } = require('../../shared/group/member-facts')
const { sweep } = require('../../shared/group/members')
const { assertPathFits, isTaken, listenOnSocket } = require('./socket-path')

/** @import { RequestHandler } from '../../shared/admin/exchange' */

class ControlSocket {
  #parts
  /** @type {net.Server | undefined} */
  #server
  /** @type {ReturnType<typeof holdControlDirectory> | undefined} */
  #directory
  #name
  /** @type {string | undefined} */
  #pipe
  /** @type {import('node:http').Server | undefined} */
  #http
  /** @type {Set<net.Socket>} */
  #sockets = new Set()

  /**
   * @param {object} parts
   * @param {string} parts.directory
   * @param {Omit<import('../../shared/group/member-facts').MemberFacts, 'socket'>} parts.facts  facts of this process
   * @param {RequestHandler} parts.handle
   */
  constructor (parts) {
    this.#parts = parts
    this.#name = controlSocketName(parts.facts.pid)
  }

  get running () { return this.#server !== undefined }
  get path () { return this.#addressIn(this.#parts.directory) }

  async start () {
    if (this.running) return
    if (hasNamedPipes()) this.#pipe = newControlPipe(this.#parts.facts.pid)
    else assertPathFits(this.path)
    this.#directory = holdControlDirectory(this.#parts.directory)
    try {
      await sweep(this.#directory.name, this.#parts.facts)
      await this.#listenUnderFreeName(this.#directory.name)
      writeFacts(this.#directory.name, { ...this.#parts.facts, socket: this.#name, ...(this.#pipe !== undefined && { pipe: this.#pipe }) })
    } catch (error) {
      await this.stop()
      this.#release()
      throw error
    }
  }

  /**
   * Uses the usual name, unless a process of another container that shares the directory has the same id.
   * @param {string} directory
   */
  async #listenUnderFreeName (directory) {
    const { pid, namespace } = this.#parts.facts
    try {
      await this.#listen(this.#addressIn(directory))
    } catch (error) {
      if (!isTaken(error)) throw error
      this.#name = socketNameOfNamespace(pid, namespace)
      assertPathFits(this.path)
      await this.#listen(this.#addressIn(directory))
    }
  }

  /** @param {string} file */
  async #listen (file) {
    const server = net.createServer(guarded(socket => this.#accept(socket)))
    await listenOnSocket(server, file)
    this.#server = server
  }

  /** @param {string} directory */
  #addressIn (directory) {
    return addressOf(directory, { socket: this.#name, pipe: this.#pipe })
  }

  async stop () {
    const server = this.#server
    this.#server = undefined
    if (server === undefined || !server.listening) return
    if (this.#directory !== undefined) removeFacts(this.#directory.name, this.#name)
    const closed = once(server, 'close')
    server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
    this.#release() // not earlier: closing removes the socket by its name in the directory
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
    const { exchange, splitTarget } = require('../../shared/admin/exchange')
    return createServer((incoming, outgoing) => {
      const target = incoming.url ?? '/'
      const location = splitTarget(target, '') ?? { base: '', path: target, query: '' }
      return exchange(incoming, outgoing, { endpoint: 'control', ...location }, this.#parts.handle)
    })
  }
}

module.exports = { ControlSocket }
