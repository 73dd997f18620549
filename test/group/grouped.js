'use strict'

// Several applications that share a temporary folder, and with it the directory of their control sockets.

const fs = require('node:fs')
const path = require('node:path')
const { get, run, TOKEN } = require('../admin/running')
const { makeShortScratch } = require('../store/scratch')

/**
 * @param {import('node:test').TestContext} t
 * @param {number} count
 * @param {{ env?: Record<string, string> }} [options]
 */
async function runGroup (t, count, { env = {} } = {}) {
  const folder = makeShortScratch(t)
  const controlDir = path.join(folder, `loopscope-${process.geteuid()}`, 'control')
  const join = async (more = {}) => {
    const app = await run(t, { env: { TMPDIR: folder, LOOPSCOPE_GROUP: 'shop', LOOPSCOPE_APP_NAME: 'shop', LOOPSCOPE_ADMIN_LISTEN: 'off', ...env, ...more } })
    return { ...app, socketPathOfGroup: path.join(controlDir, `${app.pid}.sock`) }
  }
  const apps = await Promise.all(Array.from({ length: count }, () => join()))
  await until(() => fs.existsSync(controlDir) && fs.readdirSync(controlDir).filter(name => name.endsWith('.json')).length >= count)
  return { apps, folder, controlDir, join, env: { TMPDIR: folder, XDG_RUNTIME_DIR: '' } }
}

/** Holds up the loop of an application until the returned function is called. */
function block ({ url, folder, pid }) {
  const file = path.join(folder, `go-on-${pid}`)
  fetch(`${url}/spin?until=${encodeURIComponent(file)}`).catch(() => {})
  return () => fs.writeFileSync(file, '')
}

/** A capture in each process, asked of one of them. */
async function order (url, body, options = {}) {
  const response = await get(`${url}/diagnostics/group/captures`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body), ...options })
  return { status: response.status, answer: await response.json() }
}

/** Waits until it is true. */
async function until (isTrue) {
  while (!await isTrue()) await new Promise(resolve => setTimeout(resolve, 20))
}

module.exports = { block, order, runGroup, until, TOKEN }
