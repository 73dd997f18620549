'use strict'

// Which process or server a command is about: `1234` is a process on this host, reached over its control socket; anything
// else is the address of an admin surface.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { controlDirectory, controlSocketPath } = require('../admin/control-path')
const { Failure } = require('./failure')

/** @typedef {{ socketPath: string, base: string } | { url: URL, token: string | null }} Target */

const HOW_TO = 'Put app.use(diagnostics()) into it, start it with `loopscope run -- node app.js`, or use `loopscope profile --attach <pid>`.'

/**
 * @param {string | undefined} text  a pid or a URL
 * @param {{ socket?: string, token?: string, 'token-file'?: string }} options
 * @param {NodeJS.ProcessEnv} env
 * @returns {Target}
 */
function findTarget (text, options, env) {
  if (options.socket !== undefined) return { socketPath: path.resolve(options.socket), base: '' }
  if (text === undefined) throw new Failure('usage', 'Which process? Wanted a pid or a URL.', 'See `loopscope list` for the processes of this host.')
  if (/^\d+$/.test(text)) return { socketPath: socketOf(Number(text)), base: '' }
  const url = parseUrl(text)
  const token = tokenOf(url, options, env)
  url.username = url.password = url.hash = ''
  return { url, token }
}

/** @param {string} text */
function parseUrl (text) {
  try {
    const url = new URL(/^[a-z]+:\/\//i.test(text) ? text : `http://${text}`)
    if (url.protocol === 'http:' || url.protocol === 'https:') return url
  } catch {}
  throw new Failure('usage', `${text} is neither a pid nor a URL.`, 'Wanted something like 1234 or http://127.0.0.1:6060')
}

/**
 * @param {URL} url
 * @param {{ token?: string, 'token-file'?: string }} options
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | null}
 */
function tokenOf (url, { token, 'token-file': file }, env) {
  if (token !== undefined) return token
  if (file !== undefined) return readToken(file)
  const [, fragment] = /^#token=(.+)$/.exec(url.hash) ?? [] // the address as the log shows it
  return decodeURIComponent(url.password) || fragment || env.LOOPSCOPE_TOKEN?.split(',')[0].replace(/^[a-z]+:/, '').trim() || null
}

/** @param {string} file */
function readToken (file) {
  try {
    const [line] = fs.readFileSync(file, 'utf8').split(/[,\n]/)
    return line.trim().replace(/^[a-z]+:/, '')
  } catch (error) {
    throw new Failure('token', `The token file cannot be read: ${/** @type {Error} */ (error).message}`)
  }
}

/** @param {number} pid */
function socketOf (pid) {
  const candidates = socketCandidates(pid)
  const found = candidates.find(file => fs.existsSync(file))
  if (found !== undefined) return found
  assertAlive(pid)
  throw new Failure('notInstrumented', `Process ${pid} runs without loopscope, or its control socket is elsewhere (looked for ${candidates.join(', ')}).`, HOW_TO)
}

/**
 * Its own temporary folder, and below the root that it sees: it may run in a container of its own.
 * @param {number} pid
 */
function socketCandidates (pid) {
  const user = ownerOf(pid) ?? os.userInfo().uid
  const folders = [os.tmpdir(), '/tmp', temporaryFolderOf(pid)].filter(folder => folder !== null)
  const seen = [...new Set(folders)].map(folder => controlSocketPath(folder, user, pid))
  const inner = pidInside(pid)
  const inContainer = inner === null || inner === pid ? [] : [...new Set(folders)].map(folder => path.join(`/proc/${pid}/root`, controlSocketPath(folder, user, inner)))
  return [...seen, ...inContainer]
}

/** @param {number} pid */
function ownerOf (pid) {
  try {
    return fs.statSync(`/proc/${pid}`).uid
  } catch {
    return null // no /proc, or no such process
  }
}

/** @param {number} pid */
function temporaryFolderOf (pid) {
  try {
    const [, folder] = /(?:^|\0)TMPDIR=([^\0]+)/.exec(fs.readFileSync(`/proc/${pid}/environ`, 'utf8')) ?? []
    return folder ?? null
  } catch {
    return null
  }
}

/** @param {number} pid  as it is called here; in its own container it has another number */
function pidInside (pid) {
  try {
    const [, numbers] = /^NSpid:\s+(.+)$/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return numbers === undefined ? null : Number(numbers.split(/\s+/).at(-1))
  } catch {
    return null
  }
}

/** @param {number} pid */
function assertAlive (pid) {
  try {
    process.kill(pid, 0)
  } catch (/** @type {any} */ error) {
    if (error.code === 'EPERM') throw new Failure('permission', `Process ${pid} belongs to somebody else.`, 'Run this as its user, or as root.')
    throw new Failure('noProcess', `There is no process ${pid} on this host.`, 'See `loopscope list` for those that can be reached.')
  }
}

/** @returns {number[]} pids of this user's processes that have a control socket */
function listTargets () {
  try {
    const names = fs.readdirSync(controlDirectory(os.tmpdir(), os.userInfo().uid))
    return names.flatMap(name => /^\d+\.sock$/.test(name) ? [Number.parseInt(name)] : []).filter(isOurs)
  } catch {
    return []
  }
}

/** @param {number} pid  which may have been given to somebody else's process since */
function isOurs (pid) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

module.exports = { findTarget, listTargets, assertAlive }
