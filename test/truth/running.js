'use strict'

// One application in a process of its own, asked for its stalls one after the other.

const { once } = require('node:events')
const http = require('node:http')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { start } = require('../process/child')

/** @import { Case } from './cases' */

// Between these a stall is well above the threshold, and below the second at which it is reported while it lasts.
const SHORTEST_MS = 220
const LONGEST_MS = 800
const WANTED_MS = 350
const SIZES = 5

// What of it others may have kept the application from a processor, and it still says something about causes.
const DISTURBED_SHARE = 0.2

const WARM_UPS = 4

// From the answer to the end of the block, and to the report.
const BLOCK_MS = 1000
const REPORT_MS = 5000
const ANSWER_MS = 30_000
const POLL_MS = 20
const CLOCKS_MS = 15 // by which the time of a stall may be too early
const STALL = /^event loop stalled/

/**
 * @param {import('node:test').TestContext} t  the process is killed after it
 * @param {{ folder: string, args: string[] }} service
 */
async function run (t, { folder, args }) {
  const env = { PORT: '0', NODE_ENV: 'production' }
  const app = start(t, ['--require', path.join(__dirname, 'witness.js'), ...args], { cwd: folder, env, stdio: ['ipc'] })
  const { port } = await app.until(/^listening$/)
  return { stall, warmUp, stallsOf }

  /**
   * Asks until the block is as long as wanted: what is too short or too long is asked for again with another size.
   * @param {Case} one
   * @param {number} speed  of this machine
   * @returns {Promise<import('./judge').Found>}
   */
  async function stall (one, speed) {
    let size = one.size * speed ** (1 / one.power)
    for (let left = SIZES; ; left--) {
      const { longestMs, queuedMs, since } = await stallOnce(one, Math.max(1, Math.round(size)))
      const isLong = longestMs >= SHORTEST_MS
      if (left === 1 || (isLong && longestMs <= LONGEST_MS)) {
        const isDisturbed = queuedMs > longestMs * DISTURBED_SHARE
        return { longestMs, since, until: Date.now(), folder, size: Math.round(size), isLong, isDisturbed }
      }
      size *= Math.min(20, (WANTED_MS / Math.max(1, longestMs)) ** (1 / one.power))
    }
  }

  /**
   * The recorder starts beside the application, and stalls before that have no culprit.
   * @param {Case} one
   * @param {number} speed
   */
  async function warmUp (one, speed) {
    for (let left = WARM_UPS; left > 0; left--) {
      if (stallsOf(await stall(one, speed)).some(({ culprit }) => culprit !== null)) return
    }
  }

  /**
   * @param {Case} one
   * @param {number} size
   */
  async function stallOnce (one, size) {
    const since = Date.now() - CLOCKS_MS
    await ask({ witness: 'begin' })
    if (typeof one.ask === 'string') await request(one.ask.replace('{size}', String(size)), one.body?.(size))
    else app.child.send({ job: one.ask.job, size })
    const asked = Date.now()
    let { longestMs, queuedMs } = await ask({ witness: 'tell' })
    while (stallsOf({ since, until: Infinity }).length === 0 && Date.now() - asked < (longestMs < SHORTEST_MS ? BLOCK_MS : REPORT_MS)) {
      await sleep(POLL_MS);
      ({ longestMs, queuedMs } = await ask({ witness: 'tell' }))
    }
    await ask({ witness: 'end' })
    return { longestMs, queuedMs, since }
  }

  /**
   * Also what was reported later.
   * @param {{ since: number, until: number }} found
   */
  function stallsOf ({ since, until }) {
    return app.said(STALL).map(({ stall }) => stall).filter(({ at }) => at >= since && at < until)
  }

  /** @param {object} message */
  async function ask (message) {
    const answered = once(app.child, 'message')
    app.child.send(message)
    const [answer] = await answered
    return answer
  }

  /**
   * @param {string} line  method and path
   * @param {any} body
   */
  async function request (line, body) {
    const [method, target] = line.split(' ')
    const isText = typeof body === 'string'
    const headers = body === undefined ? {} : { 'content-type': isText ? 'text/plain' : 'application/json' }
    const signal = AbortSignal.timeout(ANSWER_MS)
    const req = http.request({ host: '127.0.0.1', port, method, path: target, headers, agent: false, signal })
    req.end(isText || body === undefined ? body : JSON.stringify(body))
    const [res] = await once(req, 'response')
    res.resume()
    await once(res, 'end')
    if (res.statusCode >= 400) throw new Error(`${line}: ${res.statusCode}`)
  }
}

module.exports = { run }
