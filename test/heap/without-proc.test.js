'use strict'

// Without /proc, in a plain chroot, Node.js throws where it is asked for the memory of the process: then that is not known, and all else is.

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { get, TOKEN } = require('../admin/running')
const { start } = require('../process/child')
const { readMemory } = require('../../lib/probe/heap/memory-reading')
const { RuleReadings } = require('../../lib/observer/rules/readings')
const { estimate } = require('../../lib/observer/heap/snapshot/estimate')
const { judge } = require('../../lib/shared/rules/conditions')
const { readMemoryRoom } = require('../../lib/base/system/memory-room')

/** As Node.js is without /proc. */
function hideMemory (t) {
  const usage = process.memoryUsage
  const refuse = () => { throw Object.assign(new Error('ENOENT: no such file or directory, uv_resident_set_memory'), { code: 'ENOENT' }) }
  process.memoryUsage = Object.assign(refuse, { rss: refuse })
  t.after(() => { process.memoryUsage = usage })
}

test('V8\'s figures of the heap are those of Node.js', () => {
  const { heapUsedBytes, heapTotalBytes, externalBytes, rssBytes, arrayBuffersBytes } = readMemory()
  const { heapUsed, heapTotal, external, rss, arrayBuffers } = process.memoryUsage()
  const near = (a, b) => assert.ok(Math.abs(a - b) < 5e6, `${a} ${b}`)
  near(heapUsedBytes, heapUsed)
  near(heapTotalBytes, heapTotal)
  near(externalBytes, external)
  near(rssBytes, rss)
  near(arrayBuffersBytes, arrayBuffers)
})

test('the memory of the process is null, that of the heap is known', t => {
  hideMemory(t)
  const reading = readMemory()
  assert.deepEqual([reading.rssBytes, reading.arrayBuffersBytes], [null, null])
  assert.ok(reading.heapUsedBytes > 1e6 && reading.heapTotalBytes > 1e6 && reading.externalBytes > 0)
  assert.ok(readMemoryRoom().freeBytes > 0)
  const previous = { before: reading, after: reading, nodes: 1, edges: 1, names: 1, fileBytes: 1, pauseMs: 1 }
  assert.equal(estimate(reading, previous).reusableBytes, 0)
})

test('a rule on it cannot be judged, which is not that it is met', t => {
  hideMemory(t)
  const rule = { when: { rssBytes: 1 }, withinSeconds: 60 }
  const readings = new RuleReadings({ rules: [rule], stallThresholdMs: 50, blockedMs: () => 0, askLoop: async () => null, findFindings: async () => null })
  assert.deepEqual(judge(rule, readings.read()), [{ name: 'rssBytes', value: null, isMet: null }])
})

const APP = path.join(__dirname, '..', 'fixtures', 'admin', 'app.js')
const NAMESPACE = ['--mount']
const { status, error, stderr } = spawnSync('unshare', [...NAMESPACE, 'mount', '--make-rprivate', '/'], { encoding: 'utf8' })
const skip = status !== 0 && `unshare is not allowed here: ${error?.message ?? stderr.trim()}`

test('an application without /proc and /sys is observed', { skip, timeout: 60_000 }, async t => {
  const folder = fs.mkdtempSync('/tmp/ls-')
  t.after(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  const hide = 'mount --make-rprivate / && mount -t tmpfs tmpfs /proc && mount -t tmpfs tmpfs /sys && exec "$@"'
  const env = { LOOPSCOPE_TOKEN: TOKEN, TMPDIR: folder, LOOPSCOPE_ADMIN_LISTEN: 'off' }
  const app = start(t, [...NAMESPACE, 'sh', '-c', hide, 'sh', process.execPath, APP], { command: 'unshare', env })
  const { port } = await app.until(/^listening$/)
  const answers = new Map()
  for (const route of ['loop', 'findings', 'metrics', 'memory', 'stalls', 'slow-requests', 'sync-calls', 'group', 'group/findings', 'artifacts', 'heap-profile', 'cpu?last=1']) {
    const response = await get(`http://127.0.0.1:${port}/diagnostics/${route}`)
    answers.set(route, { status: response.status, text: await response.text() })
  }
  assert.deepEqual([...answers].filter(([, { status }]) => status !== 200 && status !== 404), [])
  const { memory } = JSON.parse(answers.get('loop').text)
  assert.deepEqual([memory.rssBytes, memory.heapUsedBytes > 1e6], [null, true])
})
