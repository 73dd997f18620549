'use strict'

// Which process or server a command is about: `1234` is a process on this host, reached over its control socket; anything
// else is the address of an admin surface.

const fs = require('node:fs')
const path = require('node:path')
const { findControlSocket } = require('./control-sockets')
const { Failure } = require('../failure')

/** @typedef {{ socketPath: string, base: string } | { url: URL, token: string | null }} Target */

const HOW_TO = 'Put app.use(diagnostics()) into it, start it with `loopscope run -- node app.js`, or use `loopscope profile --attach <pid>`.'
const IMPOSTOR = 'Somebody may pose as that process. Remove what is there, then start the process again.'

/**
 * @param {string | undefined} text  a pid or a URL
 * @param {{ socket?: string, token?: string, 'token-file'?: string }} options
 * @param {NodeJS.ProcessEnv} env
 * @returns {Target}
 */
function findTarget (text, options, env) {
  if (options.socket !== undefined) return { socketPath: path.resolve(options.socket), base: '' }
  if (text === undefined) {
    throw new Failure('usage', 'Which process? Wanted a pid or a URL.', 'See `loopscope list` for the processes of this host.')
  }
  if (/^\d+$/.test(text)) return { socketPath: socketOf(Number(text), env), base: '' }
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

/**
 * @param {number} pid
 * @param {NodeJS.ProcessEnv} env
 */
function socketOf (pid, env) {
  const { socketPath, problems, looked } = findControlSocket(pid, env)
  if (socketPath !== null) return socketPath
  assertAlive(pid)
  if (problems.length > 0) throw new Failure('permission', `Process ${pid} is not asked: ${problems.join('; ')}.`, IMPOSTOR)
  throw new Failure('notInstrumented',
    `Process ${pid} runs without loopscope, or its control socket is elsewhere (looked for ${looked.join(', ')}).`, HOW_TO)
}

/** @param {number} pid */
function assertAlive (pid) {
  try {
    if (pid === 0) throw new Error('it would be this one and its neighbours')
    process.kill(pid, 0)
  } catch (/** @type {any} */ error) {
    if (error.code === 'EPERM') {
      throw new Failure('permission', `Process ${pid} belongs to somebody else.`, 'Run this as its user, or as root.')
    }
    throw new Failure('noProcess', `There is no process ${pid} on this host.`, 'See `loopscope list` for those that can be reached.')
  }
}

module.exports = { findTarget, assertAlive }
