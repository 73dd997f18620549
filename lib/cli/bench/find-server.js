'use strict'

// Which of the processes that a command started is the server, and where it answers: the one that listens and has us in it.

const fs = require('node:fs')
const net = require('node:net')
const { Failure } = require('../failure')
const { listControlSockets } = require('../reach/control-sockets')
const { listListeners, listSession } = require('../reach/process-facts')

/** @import { Settings } from './settings' */
/** @import { startApplication } from './application' */

/** @typedef {{ pid: number, port: number, host: string }} Server */

const CONNECT_MS = 1000

/**
 * @param {ReturnType<typeof startApplication>} application
 * @param {object} how
 * @param {Settings} how.settings
 * @param {NodeJS.ProcessEnv} how.env
 * @param {AbortSignal} how.signal
 * @returns {Promise<{ pid: number, url: string }>}
 * @throws {Failure} when there is none in time, or when it is not clear which
 */
async function findServer (application, { settings, env, signal }) {
  const port = portOf(settings)
  /** @type {Server[]} */
  let before = []
  const find = () => {
    const servers = listServers(application.pid).filter(server => port === undefined || server.port === port)
    // An application that opens several ports does so in several turns of its loop: one look may find the first alone.
    const isSettled = servers.length > 0 && JSON.stringify(servers) === JSON.stringify(before)
    before = servers
    const reachable = isSettled ? listReachable(servers, env) : []
    return reachable.length > 0 ? reachable : null
  }
  const servers = await application.until(find, { seconds: settings.startSeconds, signal })
  if (servers === null) throw new Failure('failed', complaint(settings, port, before), remedyOf(port, before))
  if (servers.length > 1) {
    const ports = servers.map(server => server.port).join(', ')
    throw new Failure('failed', `The application listens on several ports: ${ports}.`, 'Say with --port which one is meant.')
  }
  const [{ pid, host, port: found }] = servers
  return { pid, url: settings.url.startsWith('/') ? `http://${host}:${found}${settings.url}` : settings.url }
}

/** @param {Settings} settings */
function portOf ({ port, url }) {
  if (port !== undefined || url.startsWith('/')) return port
  const { port: written, protocol } = new URL(url)
  return written === '' ? (protocol === 'https:' ? 443 : 80) : Number(written)
}

/** @param {number} leader */
function listServers (leader) {
  return listSession(leader).flatMap(pid => listListeners(pid).map(listener => ({ pid, ...listener })))
}

/**
 * @param {Server[]} servers
 * @param {NodeJS.ProcessEnv} env
 */
function listReachable (servers, env) {
  const { pids } = listControlSockets(env)
  return servers.filter(({ pid }) => pids.includes(pid))
}

/**
 * @param {Settings} settings
 * @param {number | undefined} port
 * @param {Server[]} servers  that listen, and cannot be reached
 */
function complaint ({ startSeconds }, port, servers) {
  if (servers.length > 0) return `Process ${servers[0].pid} listens on port ${servers[0].port}, but has no loopscope in it.`
  const where = port === undefined ? '' : ` on port ${port}`
  return `The application did not listen${where} within ${startSeconds} s.`
}

/**
 * @param {number | undefined} port
 * @param {Server[]} servers
 */
function remedyOf (port, servers) {
  if (servers.length > 0) return 'It is put there by NODE_OPTIONS: something between us and the process does not pass that on, or it is not Node.js.'
  return port === undefined ? 'Give it longer with --start.' : 'Is the port right? Without --port it is found by itself.'
}

/**
 * Whoever listens there already would be measured instead.
 * @param {Settings} settings
 * @throws {Failure} also where the system would not tell who listens
 */
async function assertFindable (settings) {
  if (!fs.existsSync('/proc/self/net/tcp')) throw new Failure('failed', 'Where the application listens is read from /proc, which this system does not have.')
  const port = portOf(settings)
  if (port === undefined) return
  const isTaken = await new Promise(resolve => {
    const socket = net.connect({ port, host: '127.0.0.1', timeout: CONNECT_MS })
    const settle = (/** @type {boolean} */ is) => {
      socket.destroy()
      resolve(is)
    }
    socket.on('connect', () => settle(true)).on('timeout', () => settle(false)).on('error', () => settle(false))
  })
  if (isTaken) throw new Failure('failed', `Port ${port} is in use: whoever listens there would be measured instead of the application.`, 'End that process first.')
}

module.exports = { assertFindable, findServer }
