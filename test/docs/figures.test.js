'use strict'

// Figures that pages name in sentences are those of the options.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { OPTIONS } = require('../../lib/api/options/options')
const { readProject } = require('../internal/project')

const valueOf = path => OPTIONS.find(option => option.path === path).defaultValue
const DAY_MS = 86_400_000

/** Page, sentence with its figure, the figure. @type {[string, RegExp, () => unknown][]} */
const ROWS = [
  ['README.md', /the loop was blocked for (\d+) ms or more/, () => valueOf('stallThresholdMs')],
  ['README.md', /a timer every (\d+) ms \(100 ms while nothing happens\)/, () => valueOf('heartbeatMs')],
  ['README.md', /a profiler sample every (\d+) ms/, () => 1e3 / valueOf('recorder.hz')],
  ['docs/limits.md', /At (\d+) samples per second/, () => valueOf('recorder.hz')],
  ['docs/limits.md', /The look back is (\d+) seconds by default/, () => valueOf('recorder.keepSeconds')],
  ['docs/limits.md', /`recorder\.keepSeconds`, at most (\d+)\)/, () => Number(/to (\d+)$/.exec(OPTIONS.find(({ path }) => path === 'recorder.keepSeconds').wanted)[1])],
  ['docs/limits.md', /measured to one heartbeat \((\d+) ms\)/, () => valueOf('heartbeatMs')],
  ['docs/faq.md', /Samples are (\d+) ms apart/, () => 1e3 / valueOf('recorder.hz')],
  ['docs/faq.md', /at most (\d+) files, 1 GB and a day old by default/, () => valueOf('retention.maxCount')],
  ['docs/faq.md', /at most 10 files, (\d+) GB and a day old by default/, () => valueOf('retention.maxBytes') / 2 ** 30],
  ['docs/faq.md', /at most 10 files, (1) GB and a day old by default/, () => valueOf('retention.maxAgeMs') / DAY_MS],
  ['docs/stalls.md', /late by `stallThresholdMs` \((\d+)\) or more/, () => valueOf('stallThresholdMs')],
  ['docs/docker.md', /at (\d+) % of it the memory report is written/, () => valueOf('memoryReport') * 100],
  ['docs/kubernetes.md', /at (\d+) % of the limit a \[memory report\]/, () => valueOf('memoryReport') * 100]
]

for (const [page, sentence, figure] of ROWS) {
  test(`${page}: ${sentence.source}`, () => {
    const found = sentence.exec(readProject(page))
    assert.ok(found, `no such sentence in ${page}`)
    assert.equal(Number(found[1]), figure())
  })
}
