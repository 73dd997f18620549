'use strict'

// The action `webhook`: a POST with JSON, tried a few times, each with a time limit. Redirects are not followed. What goes wrong is told without the path,
// the query and the headers of the request, and without the answer.

const { once } = require('node:events')
const { setTimeout: sleep } = require('node:timers/promises')
const { describeOccasion } = require('../../../shared/rules/occasion')
const { showUrl } = require('../../../shared/rules/actions')

const TIMEOUT_MS = 5000
// A receiver that restarts is back after a few seconds; one that is away for longer has the file, the log and the metric.
const WAITS_MS = Object.freeze([1000, 5000])

/** @type {import('../actors').Actor} */
async function webhook ({ webhook: url, headers = {}, timeoutMs = TIMEOUT_MS }, occasion, { process, signal }) {
  const body = Buffer.from(JSON.stringify({ text: describeOccasion(occasion), ...occasion, process }))
  for (let tries = 0; ; tries++) {
    const answer = await post({ url, headers, body }, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]))
    if (answer.isTaken) return
    if (!answer.isWorthAnother || signal.aborted || tries === WAITS_MS.length) throw new Error(`${showUrl(url)} ${answer.problem}`)
    await sleep(WAITS_MS[tries], undefined, { signal, ref: false })
  }
}

/**
 * @param {{ url: string, headers: Record<string, string>, body: Buffer }} message
 * @param {AbortSignal} signal
 * @returns {Promise<{ isTaken: boolean, isWorthAnother: boolean, problem: string }>}
 */
async function post ({ url, headers, body }, signal) {
  const { request } = url.startsWith('https:') ? require('node:https') : require('node:http')
  const sent = request(url, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': body.length },
    agent: false, // one connection, which nothing keeps open
    signal
  })
  try {
    sent.end(body)
    const [response] = await once(sent, 'response')
    response.resume()
    const { statusCode: status } = response
    return { isTaken: status >= 200 && status < 300, isWorthAnother: status >= 500 || status === 429, problem: `answered ${status}` }
  } catch (/** @type {any} */ error) {
    return { isTaken: false, isWorthAnother: true, problem: signal.aborted ? 'did not answer in time' : `cannot be reached: ${error.code ?? 'unknown'}` }
  } finally {
    sent.on('error', () => {}).destroy()
  }
}

module.exports = { webhook }
