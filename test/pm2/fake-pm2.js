'use strict'

// The parent that PM2's daemon is: it starts an application through a file of PM2's name, with PM2's variables and an IPC channel, and reads
// what comes.

const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: wait } = require('node:timers/promises')
const { start } = require('../process/child')
const { makeScratch } = require('../store/scratch')

const CONTAINERS = path.resolve(__dirname, '../fixtures/pm2')
const LOOPSCOPE = path.resolve(__dirname, '../..')

const VARIABLES = { pm_id: '0', NODE_APP_INSTANCE: '0', NODE_TEST_CONTEXT: undefined }

// For the application: diagnostics that say nothing.
const PRELUDE = `
const { createDiagnostics } = require(${JSON.stringify(LOOPSCOPE)})
const logger = { info () {}, warn () {}, error () {} }
`

/**
 * @param {import('node:test').TestContext} t
 * @param {string} source
 * @returns {string} its file
 */
function writeApplication (t, source) {
  const file = path.join(makeScratch(t), 'app.js')
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, PRELUDE + source)
  return file
}

/**
 * @param {import('node:test').TestContext} t
 * @param {string} source  of the application
 * @param {{ env?: Record<string, string | undefined>, direct?: boolean }} [how]  direct: without PM2's file, as a child of an application is
 */
function startUnderPm2 (t, source, { env = {}, direct = false } = {}) {
  const file = writeApplication(t, source)
  const entry = direct ? file : path.join(CONTAINERS, 'ProcessContainerFork.js')
  const app = start(t, [entry], { env: { ...VARIABLES, pm_exec_path: file, pm_cwd: path.dirname(file), ...env }, stdio: ['ipc'] })
  const messages = []
  app.child.on('message', message => messages.push(message))

  /** Waits for the first message that fits, from the one with that number on. */
  async function heard (fits, from = 0) {
    for (;;) {
      const found = messages.slice(from).find(fits)
      if (found !== undefined) return found
      await Promise.race([once(app.child, 'message'), app.ended.then(({ stdout, stderr }) => { throw new Error(`ended before ${fits}:\n${stdout}${stderr}`) })])
    }
  }

  /** What an action is answered with. */
  async function trigger (message) {
    const from = messages.length
    app.child.send(message)
    return (await heard(({ type }) => type === 'axm:reply', from)).data
  }
  return { ...app, messages, heard, trigger }
}

/** Asks an action again until its answer fits. */
async function triggerUntil (app, message, fits) {
  for (;;) {
    const reply = await app.trigger(message)
    if (fits(reply.return)) return reply
    await wait(50)
  }
}

module.exports = { CONTAINERS, VARIABLES, startUnderPm2, triggerUntil, writeApplication }
