'use strict'

// A real Prometheus scrapes a cluster at the port of the application, which is now this worker's and now that one's, while every
// worker is replaced.

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { get, TOKEN } = require('../admin/running')
const { start } = require('../process/child')
const { skip, startPrometheus, query } = require('./prometheus')

const PRIMARY = path.join(__dirname, '..', 'fixtures', 'admin', 'primary.js')
const WORKERS = 3
const COUNTERS = '{job="shop",__name__=~".+_(total|count|bucket|sum)"}'
// Others come with the first stall, or the first synchronous call that was sampled.
const ALWAYS = [
  ...['bucket', 'count', 'sum'].flatMap(part => [`http_server_request_duration_seconds_${part}`, `nodejs_eventloop_delay_seconds_${part}`]),
  'loopscope_admin_refusals_total', 'loopscope_admin_requests_total', 'loopscope_label_overflow_total', 'loopscope_observer_restarts_total',
  'loopscope_overhead_seconds_total', 'loopscope_stall_seconds_total', 'loopscope_stalls_total', 'loopscope_threadpool_queued_total',
  'nodejs_eventloop_time_seconds_total'
]
const REQUESTS = 'http_server_request_duration_seconds_count{job="shop",http_route="/hold"}'

async function runCluster (t) {
  const folder = fs.mkdtempSync('/tmp/ls-')
  const app = start(t, [PRIMARY], { env: { LOOPSCOPE_TOKEN: TOKEN, TMPDIR: folder, TEST_WORKERS: String(WORKERS) } })
  // The workers outlive their primary by a moment.
  t.after(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  const listening = () => app.said(/^listening$/)
  await untilTrue(() => listening().length === WORKERS)
  const [{ port }] = listening()
  return { listening, target: `127.0.0.1:${port}` }
}

async function untilTrue (isTrue) {
  while (!await isTrue()) await new Promise(resolve => setTimeout(resolve, 50))
}

/** Asks the application all the time; a request that a killed worker had is lost. */
function load (t, target) {
  const timer = setInterval(() => {
    fetch(`http://${target}/hold?count=1`, { headers: { connection: 'close' } }).then(response => response.text()).catch(() => {})
  }, 50)
  t.after(() => clearInterval(timer))
}

test('no counter is reset while Prometheus scrapes a cluster through the replacement of every worker', { skip }, async t => {
  const { listening, target } = await runCluster(t)
  load(t, target)
  const url = await startPrometheus(t, {
    job_name: 'shop',
    metrics_path: '/diagnostics/metrics',
    params: { group: ['1'] },
    authorization: { credentials: TOKEN },
    static_configs: [{ targets: [target] }]
  })
  const isOne = result => result.length === 1
  const counted = async more => Number((await query(url, `${REQUESTS} > ${more}`, isOne))[0].value[1])
  await query(url, 'count(loopscope_up == 1) == 3', isOne)

  for (const [at, { pid }] of listening().entries()) {
    const before = await counted(0)
    process.kill(pid, at % 2 === 0 ? 'SIGTERM' : 'SIGKILL')
    await untilTrue(() => listening().length === WORKERS + at + 1)
    await query(url, `loopscope_up{worker="${WORKERS + at + 1}"} == 1`, isOne)
    await counted(before)
  }

  await query(url, 'count(loopscope_up) == 3', isOne)
  const names = (await query(url, `group by (__name__) (${COUNTERS})`, result => result.length > 0)).map(({ metric }) => metric.__name__)
  assert.deepEqual(ALWAYS.filter(name => !names.includes(name)), [])
  for (const name of names) {
    const [{ value }] = await query(url, `max(resets(${name}{job="shop"}[10m]))`, isOne)
    assert.equal(value[1], '0', `${name} was reset`)
  }
})

test('promtool has nothing to say against the metrics of a group', { skip: spawnSync('promtool', ['--version']).error ? 'promtool is not installed' : false }, async t => {
  const { target } = await runCluster(t)
  const response = await get(`http://${target}/diagnostics/metrics?group=1`)
  const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: await response.text(), encoding: 'utf8', timeout: 30_000 })
  assert.deepEqual([stderr, status], ['', 0])
})
