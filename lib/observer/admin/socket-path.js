'use strict'

// Listens on the path of a Unix socket: the file of a dead process is removed first, that of a living process is not. A named pipe of Windows has no
// file: it ends with its process, and its default access list lets only this user, administrators and the system write to it.

const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { errors } = require('../../base/errors')
const { isRefused } = require('../../base/system/is-refused')
const { MAX_SOCKET_BYTES, isNamedPipe } = require('../../shared/admin/control-directory')

const ANOTHER = 'another process listens on it'
const OWNER_ONLY = 0o600
const OWNER_ONLY_DIRECTORY = 0o700

/**
 * Only this user may connect.
 * @param {import('node:net').Server} server
 * @param {string} file
 * @throws ERR_LOOPSCOPE_SOCKET_UNUSABLE
 */
async function listenOnSocket (server, file) {
  if (isNamedPipe(file)) return listen(server, { path: file })
  await claimSocketPath(file)
  await listen(server, { path: file })
  fs.chmodSync(file, OWNER_ONLY)
}

/**
 * Listens without keeping the process alive.
 * @param {import('node:net').Server} server
 * @param {import('node:net').ListenOptions} where
 */
async function listen (server, where) {
  server.listen(where)
  await once(server, 'listening')
  server.unref()
}

/** @param {string} file @throws ERR_LOOPSCOPE_SOCKET_UNUSABLE */
async function claimSocketPath (file) {
  assertPathFits(file)
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: OWNER_ONLY_DIRECTORY })
  // As big integers: Node.js 20 and 22 keep the numbers of the last lstat(), and treat the next package that is required in this thread as a socket,
  // too, whose links they then do not follow.
  const found = fs.lstatSync(file, { throwIfNoEntry: false, bigint: true })
  if (found === undefined) return
  if (!found.isSocket()) throw new errors.ERR_LOOPSCOPE_SOCKET_UNUSABLE(file, 'there is a file that is not a socket')
  if (!await isRefused(file)) throw new errors.ERR_LOOPSCOPE_SOCKET_UNUSABLE(file, ANOTHER)
  if (fs.lstatSync(file, { throwIfNoEntry: false, bigint: true })?.ino === found.ino) removeIfThere(file) // no other process was faster
}

/** Not fs.rmSync(), which calls lstat() again. @param {string} file */
function removeIfThere (file) {
  try {
    fs.unlinkSync(file)
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT') throw error
  }
}

/**
 * @param {string} file  the path that clients connect to
 * @throws ERR_LOOPSCOPE_SOCKET_UNUSABLE
 */
function assertPathFits (file) {
  if (Buffer.byteLength(file) <= MAX_SOCKET_BYTES) return
  throw new errors.ERR_LOOPSCOPE_SOCKET_UNUSABLE(file, `a path of a Unix socket has at most ${MAX_SOCKET_BYTES} bytes here`)
}

/** Whether another process listens there, or just began to. @param {any} error  of listenOnSocket() */
function isTaken ({ code, message }) {
  return code === 'EADDRINUSE' || (code === 'ERR_LOOPSCOPE_SOCKET_UNUSABLE' && message.includes(ANOTHER))
}

module.exports = { assertPathFits, claimSocketPath, isTaken, listen, listenOnSocket }
