'use strict'

// A real Prometheus server for one test, and questions to it.

const assert = require('node:assert/strict')
const { spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs')
const { tmpdir } = require('node:os')
const { join } = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')

const skip = spawnSync('prometheus', ['--version']).error ? 'prometheus is not installed' : false
const PATIENCE_MS = 60_000

/**
 * @param {import('node:test').TestContext} t  the server is killed after it
 * @param {object} scrape  one of `scrape_configs`, scraped every second
 * @param {string[]} [ruleFiles]
 * @returns {Promise<string>} its URL
 */
async function startPrometheus (t, scrape, ruleFiles = []) {
  const directory = mkdtempSync(join(tmpdir(), 'loopscope-prometheus-'))
  const config = join(directory, 'prometheus.json') // YAML holds JSON
  writeFileSync(config, JSON.stringify({ global: { scrape_interval: '1s', evaluation_interval: '1s' }, rule_files: ruleFiles, scrape_configs: [scrape] }))
  const prometheus = spawn('prometheus', [`--config.file=${config}`, `--storage.tsdb.path=${join(directory, 'data')}`, '--enable-feature=exemplar-storage', '--web.listen-address=127.0.0.1:0'], { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(prometheus, 'close')
  t.after(async () => {
    prometheus.kill('SIGKILL')
    await ended
    rmSync(directory, { recursive: true, force: true })
  })
  return `http://${await addressOf(prometheus)}`
}

/** Says so itself: which port it got is in its log only. */
async function addressOf (prometheus) {
  let log = ''
  for await (const text of prometheus.stderr.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    log += text
    const [, address] = /msg="Listening on".* address=(\S+)/.exec(log) ?? []
    if (address === undefined) continue
    prometheus.stderr.resume()
    return address
  }
  throw new Error(`prometheus ended:\n${log}`)
}

/** Asks until there is an answer: Prometheus starts, scrapes and indexes in its own time. */
function query (url, expression, isAnswer) {
  return ask(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`, data => data.result, isAnswer)
}

/** The exemplars of a series, as soon as there are some. */
function queryExemplars (url, series) {
  const toS = Math.ceil(Date.now() / 1e3) + PATIENCE_MS / 1e3
  return ask(`${url}/api/v1/query_exemplars?query=${encodeURIComponent(series)}&start=0&end=${toS}`, data => data.flatMap(({ exemplars }) => exemplars), found => found.length > 0)
}

async function ask (target, resultOf, isAnswer) {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const response = await fetch(target, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => null)
    const result = response?.ok ? resultOf((await response.json()).data) : []
    if (isAnswer(result)) return result
    assert.ok(performance.now() < deadline, `no answer to ${target}: ${JSON.stringify(result)}`)
    await sleep(200)
  }
}

module.exports = { skip, startPrometheus, query, queryExemplars }
