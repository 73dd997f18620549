'use strict'

// A cluster of workers with diagnostics, and prom-client's AggregatorRegistry beside; some of them block their loops when they are told to.

const cluster = /** @type {import('node:cluster').Cluster} */ (/** @type {unknown} */ (require('node:cluster')))
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { AggregatorRegistry } = require('prom-client')
const { serveAnswers } = require('../harness/answers')

const WORK_EVERY_MS = 100
const WORK_MS = 2

const aggregator = new AggregatorRegistry() // in a worker: it answers its primary
if (cluster.isPrimary) lead(Number(process.argv[2]))
else work()

/** @param {number} count */
async function lead (count) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'group-'))
  const goOn = path.join(folder, 'go-on')
  const workers = Array.from({ length: count }, () => cluster.fork({ TMPDIR: folder, XDG_RUNTIME_DIR: '', LOOPSCOPE_APP_NAME: 'group' }))
  await Promise.all(workers.map(worker => once(worker, 'message')))
  process.once('SIGTERM', () => {
    for (const worker of workers) worker.process.kill('SIGKILL')
    process.exit()
  })
  serveAnswers({ controlDir: path.join(folder, `loopscope-${process.geteuid?.()}`, 'control') }, {
    block: blocked => { for (const worker of workers.slice(0, blocked)) worker.send({ blockUntil: goOn }) },
    goOn: () => fs.writeFileSync(goOn, ''),
    /** As a primary answers a scrape; null: it failed. */
    aggregated: async () => {
      const startMs = performance.now()
      const isWhole = await aggregator.clusterMetrics().then(() => true, () => false)
      return { ms: performance.now() - startMs, isWhole }
    }
  })
}

function work () {
  require('../..').createDiagnostics({ registry: require('prom-client').register, logger: require('pino')({ enabled: false }) }).start()
  setInterval(() => spin(() => false, WORK_MS), WORK_EVERY_MS)
  process.on('message', (/** @type {any} */ { blockUntil }) => {
    if (blockUntil !== undefined) spin(() => fs.existsSync(blockUntil), Infinity)
  })
  process.send?.('ready')
}

/**
 * @param {() => boolean} isOver
 * @param {number} maxMs
 */
function spin (isOver, maxMs) {
  const endMs = performance.now() + maxMs
  while (performance.now() < endMs && !isOver()) JSON.stringify(process.versions)
}
