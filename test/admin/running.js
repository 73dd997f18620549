'use strict'

// The fixture application in a process of its own, and the ways to ask its admin surface.

const http = require('node:http')
const { once } = require('node:events')
const path = require('node:path')
const { start } = require('../process/child')
const { makeShortScratch } = require('../store/scratch')

const TOKEN = 'a-token-of-at-least-thirty-two-characters'
const APP = path.join(__dirname, '..', 'fixtures', 'admin', 'app.js')

/**
 * @param {import('node:test').TestContext} t
 * @param {{ env?: Record<string, string>, args?: string[] }} [options]
 */
async function run (t, { env = {}, args = [] } = {}) {
  // A temporary folder of its own: the control socket must not meet those of others. Short, since a socket's path is.
  const folder = makeShortScratch(t)
  const app = start(t, [...args, APP], { env: { LOOPSCOPE_TOKEN: TOKEN, LOOPSCOPE_ADMIN_LISTEN: '127.0.0.1:0', TMPDIR: folder, ...env } })
  const { port, pid } = await app.until(/^listening$/)
  const controlDir = path.join(folder, `loopscope-${process.geteuid()}`, 'control')
  return { ...app, folder, pid, port, url: `http://127.0.0.1:${port}`, controlDir, socketPath: path.join(controlDir, `${pid}.sock`), listenerUrl: async () => (await app.until(/^diagnostics at /)).url.replace(/\/(#.*)?$/, '') }
}

/** @param {string} url */
function get (url, { token = TOKEN, ...options } = {}) {
  return fetch(url, { ...options, headers: { ...(token && { authorization: `Bearer ${token}` }), ...options.headers } })
}

/** Over the control socket. */
async function getControl (socketPath, target) {
  const request = http.get({ socketPath, path: target, headers: { host: 'localhost' } })
  const [response] = await once(request, 'response')
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return { status: response.statusCode, text }
}

/** Waits until the recorder holds something: before that there is nothing to cut from. */
async function recorded (url) {
  while ((await get(`${url}/cpu?seconds=0.05`)).status !== 200) await new Promise(resolve => setTimeout(resolve, 20))
}

module.exports = { run, get, getControl, recorded, TOKEN }
