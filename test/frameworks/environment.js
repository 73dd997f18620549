'use strict'

// What every test of this folder asks of the environment that it is about: an application in a folder of its own, with packages
// of test/frameworks; a stall that is reported with route and culprit; a profile by signal; and the same end as without us.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: wait } = require('node:timers/promises')
const { pathToFileURL } = require('node:url')
const { installInto, link } = require('./installed')
const { start } = require('../process/child')
const { makeScratch } = require('../store/scratch')

const FIXTURES = path.resolve(__dirname, '../fixtures/frameworks')
const REGISTER = require.resolve('../../lib/register')

// NODE_OPTIONS of a process that is observed from outside.
const PRELOAD = `--require ${JSON.stringify(REGISTER)}`
const IMPORT = `--import ${JSON.stringify(pathToFileURL(REGISTER).href)}`

const STALLED = /^event loop stalled .* in GET \/stall\/:id/
const POLL_MS = 50
const PATIENCE_MS = 90_000
const POLLS_A_REQUEST = 30

/**
 * A folder with the application, called `shop`.
 * @param {import('node:test').TestContext} t
 * @param {{ files?: Record<string, string>, fixtures?: string[], packages?: string[], ofProject?: string[] }} [parts]  text by name; names of
 *   files of test/fixtures/frameworks; packages beside loopscope, of this folder and of the project
 * @returns {string}
 */
function makeApplication (t, { files = {}, fixtures = ['shop.js'], packages = ['express'], ofProject = [] } = {}) {
  const folder = makeScratch(t)
  for (const [name, text] of Object.entries({ 'package.json': '{"name":"shop"}', ...files })) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    fs.writeFileSync(path.join(folder, name), text)
  }
  for (const name of fixtures) fs.copyFileSync(path.join(FIXTURES, name), path.join(folder, name))
  installInto(folder, ...packages)
  for (const name of ofProject) link(path.resolve(__dirname, '../../node_modules', name), path.join(folder, 'node_modules', name))
  return folder
}

/**
 * @template T
 * @param {() => T | Promise<T>} find
 * @param {() => unknown} [tell]  what there is instead, for the message of who waited in vain
 * @returns {Promise<NonNullable<T>>} the first that is neither undefined, null nor false
 */
async function eventually (find, tell = () => '') {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const found = await find()
    if (found !== undefined && found !== null && found !== false) return found
    if (performance.now() > deadline) throw new Error(`waited in vain for ${find}\n${tell()}`)
    await wait(POLL_MS)
  }
}

/**
 * Asks for the blocking route until a stall is reported with its culprit, which needs a recorder that runs. Not every request
 * has a report of its own: on a busy machine one stall may hold several.
 * @param {object} app
 * @param {number} app.port
 * @param {(pattern: RegExp) => any[]} app.said  lines of the log
 * @param {{ culprit?: string | null, route?: string, pattern?: RegExp }} [expected]  culprit: null where there is none
 * @returns {Promise<any>} the line of the log
 */
async function stallOf ({ port, said }, { culprit = 'blockForAWhile', route = '/stall/4711', pattern = STALLED } = {}) {
  const find = () => said(pattern).find(({ stall }) => (stall.culprit?.function ?? null) === culprit)
  return eventually(async () => {
    await (await fetch(`http://127.0.0.1:${port}${route}`)).text()
    for (let poll = 0; poll < POLLS_A_REQUEST && !find(); poll++) await wait(POLL_MS)
    return find()
  }, () => said(/./).map(({ msg }) => msg).join('\n'))
}

/**
 * @param {object} app
 * @param {(pattern: RegExp) => any[]} app.said
 * @param {number} pid
 * @returns {Promise<string>} the profile, as text, that SIGUSR2 makes
 */
async function profileOf ({ said }, pid) {
  process.kill(pid, 'SIGUSR2')
  const line = await eventually(() => said(/^SIGUSR2: cpu capture (written to|failed)/).find(line => line.pid === pid))
  assert.ok(line.path !== undefined, line.msg)
  return fs.readFileSync(line.path, 'utf8')
}

/**
 * The whole of it, for an application in a process of its own.
 * @param {ReturnType<typeof start>} app  which says `listening`, with its port and its process
 */
async function exercise (app) {
  const { port, pid } = await app.until(/^listening$/)
  const { stall } = await stallOf({ port, said: app.said })
  assert.equal(stall.route, 'GET /stall/:id')
  assert.match(await profileOf(app, pid), /"blockForAWhile"/)
  return { port, pid, stall }
}

/**
 * How it ends, with what it printed but for our lines of log.
 * @param {ReturnType<typeof start>} app
 */
async function endingOf (app) {
  const { code, signal, stdout, stderr } = await app.ended
  return { code, signal, stdout: withoutLoopscope(stdout), stderr: withoutLoopscope(stderr) }
}

/**
 * Its end when it is asked to, once it listens.
 * @param {ReturnType<typeof start>} app
 */
async function endOf (app) {
  await app.until(/^listening$/)
  app.child.kill('SIGTERM')
  return endingOf(app)
}

/** Numbers of ports and processes differ from run to run. @param {string} text */
function withoutLoopscope (text) {
  return text.split('\n').filter(line => !line.includes('"name":"loopscope"')).join('\n').replace(/("port":|"pid":|\(node:)\d+/g, '$10')
}

module.exports = { PRELOAD, IMPORT, REGISTER, FIXTURES, makeApplication, start, eventually, stallOf, profileOf, exercise, endingOf, endOf }
