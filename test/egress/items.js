'use strict'

// Items as backends get them, and what a pprof message holds, name by name.

const FROM_MS = 1_750_000_000_000
const TO_MS = FROM_MS + 15_000
const LABELS = Object.freeze({ service: 'shop', pid: '4711', host: 'web-1', version: '1.2.3' })
const TRACE = Object.freeze({ traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' })

const item = more => ({ id: 'one', kind: 'cpu', fromMs: FROM_MS, toMs: TO_MS, fileName: 'shop.pb.gz', labels: LABELS, appRoot: '/app', ...more })

const SAMPLED = Object.freeze({
  mode: 'live',
  fromMs: FROM_MS,
  toMs: TO_MS,
  before: null,
  profile: {
    head: node(1, '(root)', 0, [node(2, 'fillCache', 0, [node(3, 'keep', 3_000_000, [])])]),
    samples: [{ nodeId: 3, ordinal: 1 }, { nodeId: 3, ordinal: 2 }]
  }
})

function node (id, functionName, selfSize, children) {
  return { id, callFrame: { functionName, scriptId: '7', url: 'file:///app/cache.js', lineNumber: id, columnNumber: 0 }, selfSize, children }
}

/** @returns {{ types: string[], samples: { stack: string[], value: number[] }[] }} of a pprof message */
function namesIn (message) {
  const text = index => message.stringTable.strings[Number(index)]
  const functions = new Map(message.function.map(({ id, name, filename, startLine }) => [id, `${text(name)} ${text(filename)}:${startLine}`]))
  const frames = new Map(message.location.map(({ id, line: [{ functionId, line }] }) => [id, `${functions.get(functionId)} at ${line}`]))
  return {
    types: message.sampleType.map(({ type, unit }) => `${text(type)}/${text(unit)}`),
    samples: message.sample.map(({ locationId, value }) => ({ stack: locationId.map(id => frames.get(id)), value: value.map(Number) }))
  }
}

module.exports = { FROM_MS, TO_MS, LABELS, TRACE, SAMPLED, item, namesIn }
