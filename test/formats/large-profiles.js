'use strict'

// Profiles larger and deeper than V8 writes them: one tree of functions as a CPU profile and as a heap profile.

/** How the function of a number is called, and where it is. */
const FUNCTIONS = Object.freeze({
  wide: at => ({ functionName: `f${at}`, scriptId: '7', url: '/srv/app/a.js' }),
  deep: at => ({ functionName: `f${at}`, scriptId: '7', url: '/srv/app/a.js' }),
  recursion: at => ({ functionName: `f${at % 2}`, scriptId: '8', url: '/srv/app/node_modules/p/index.js' }),
  native: at => ({ functionName: `n${at % 5}`, scriptId: '0', url: '' }),
  node: at => ({ functionName: `n${at}`, scriptId: '9', url: 'node:internal/modules/esm/resolve' }),
  nameless: at => ({ functionName: '', scriptId: String(1000 + at), url: '' })
})

const ROOT = Object.freeze({ functionName: '(root)', scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 })

/**
 * @param {keyof typeof FUNCTIONS} shape
 * @param {number} count  of functions: below the root, or each below the one before
 */
function nodesOf (shape, count) {
  const nodes = [{ id: 1, callFrame: ROOT, children: [] }]
  for (let at = 0; at < count; at++) {
    const callFrame = { ...FUNCTIONS[shape](at), lineNumber: shape === 'recursion' ? at % 2 : at, columnNumber: 2 }
    const id = nodes.length + 1
    nodes[shape === 'wide' ? 0 : at].children.push(id)
    nodes.push({ id, callFrame, children: [] })
  }
  return nodes
}

/** @param {Parameters<typeof nodesOf>} of */
function largeCpuProfile (...of) {
  const nodes = nodesOf(...of)
  const samples = nodes.slice(1).map(({ id }) => id)
  const routes = { names: ['GET /a', 'GET /b'], samples: samples.map((_, index) => index % 2) }
  return { nodes, samples, timeDeltas: samples.map(() => 1000), startTime: 0, endTime: samples.length * 1000, routes }
}

/** @param {Parameters<typeof nodesOf>} of */
function largeHeapProfile (...of) {
  const nodes = nodesOf(...of).map(node => ({ ...node, selfSize: node.id === 1 ? 0 : 100 }))
  const samples = nodes.slice(1).map(({ id }, index) => ({ size: 100, nodeId: id, ordinal: index + 1 }))
  for (const node of nodes) node.children = node.children.map(id => nodes[id - 1])
  return { head: nodes[0], samples }
}

module.exports = { SHAPES: Object.keys(FUNCTIONS), largeCpuProfile, largeHeapProfile }
