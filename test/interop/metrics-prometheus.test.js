'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs')
const { createServer } = require('node:http')
const { createServer: createTcpServer } = require('node:net')
const { tmpdir } = require('node:os')
const { join } = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { Registry } = require('prom-client')
const { createMetrics } = require('../../lib/metrics/metrics')
const { createFakeSources, createFakeLogger } = require('../metrics/fake-sources')

const skip = spawnSync('prometheus', ['--version']).error ? 'prometheus is not installed' : false
const PATIENCE_MS = 60_000

async function serve (registry, t) {
  const server = createServer(async (request, response) => {
    response.setHeader('content-type', registry.contentType)
    response.end(await registry.metrics())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return server.address().port
}

/** Prometheus cannot be asked for port 0 and then which one it got. */
async function findFreePort () {
  const server = createTcpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

async function startPrometheus (targetPort, t) {
  const directory = mkdtempSync(join(tmpdir(), 'loopscope-prometheus-'))
  const config = join(directory, 'prometheus.json') // YAML holds JSON
  writeFileSync(config, JSON.stringify({
    global: { scrape_interval: '1s' },
    scrape_configs: [{ job_name: 'app', static_configs: [{ targets: [`127.0.0.1:${targetPort}`] }] }]
  }))
  const port = await findFreePort()
  const prometheus = spawn('prometheus', [`--config.file=${config}`, `--storage.tsdb.path=${join(directory, 'data')}`, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' })
  t.after(async () => {
    const ended = prometheus.exitCode === null ? once(prometheus, 'exit') : null
    prometheus.kill('SIGKILL')
    await ended
    rmSync(directory, { recursive: true, force: true })
  })
  return `http://127.0.0.1:${port}`
}

/** Asks until there is an answer: Prometheus starts, scrapes and indexes in its own time. */
async function query (url, expression, isAnswer) {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => null)
    const result = response?.ok ? (await response.json()).data.result : []
    if (isAnswer(result)) return result
    assert.ok(performance.now() < deadline, `no answer to ${expression}: ${JSON.stringify(result)}`)
    await sleep(200)
  }
}

test('Prometheus scrapes the metrics and answers a quantile of the delay', { skip, timeout: 2 * PATIENCE_MS }, async t => {
  const sources = createFakeSources({ blockedMs: 300 })
  const registry = new Registry()
  createMetrics({ registry, logger: createFakeLogger(), sources }).start()
  const url = await startPrometheus(await serve(registry, t), t)

  const isOne = result => result.length === 1
  const [up] = await query(url, 'up == 1', isOne)
  assert.equal(up.metric.job, 'app')
  // 24.75 of the 25 ticks: 2.75 of the 3 between 250 and 500 ms.
  const [quantile] = await query(url, 'histogram_quantile(0.99, sum by (le) (nodejs_eventloop_delay_seconds_bucket))', isOne)
  assert.ok(Math.abs(Number(quantile.value[1]) - (0.25 + 0.25 * 2.75 / 3)) < 1e-9)

  const causes = await query(url, 'loopscope_stalls_total', result => result.length === 5)
  assert.deepEqual(causes.filter(({ value }) => value[1] === '1').map(({ metric }) => metric.cause), ['code'])
  // A histogram is worth scraping only if a rate over it works: block again and ask for what came since.
  sources.delay.record(2000)
  await query(url, 'increase(nodejs_eventloop_delay_seconds_count[1m]) > 0', isOne)
})
