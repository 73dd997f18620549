'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const test = require('node:test')
const fc = require('fast-check')
const { analyzeSnapshot } = require('../../lib/heap-diff/comparison/load-snapshots')
const { makeDirectory } = require('../store/scratch')
const { snapshotOf, writeSnapshot } = require('./snapshots')

const folder = makeDirectory()
test.after(() => fs.rmSync(folder, { recursive: true, force: true }))

/** The nodes that are not reached from the root without a given one: the definition, taken at its word. */
function unreachedWithout (links, without) {
  const reached = new Set(without === 0 ? [] : [0])
  const pending = [...reached]
  while (pending.length > 0) {
    for (const to of links[pending.pop()]) {
      if (to === without || reached.has(to)) continue
      reached.add(to)
      pending.push(to)
    }
  }
  return links.map((_, node) => node).filter(node => !reached.has(node))
}

test('retained sizes are those of the definition, on random graphs', async () => {
  const graphs = fc.array(fc.array(fc.nat(11), { maxLength: 4 }), { minLength: 2, maxLength: 12 })
  await fc.assert(fc.asyncProperty(graphs, async targets => {
    const count = targets.length
    // The root leads to the first object, and everything else is as it comes; what is not reached takes no part in the question.
    const links = [[1], ...targets.slice(1).map(list => list.map(to => to % count).filter(to => to !== 0))]
    const nodes = links.map((list, at) => ({
      type: at === 0 ? 'synthetic' : 'object',
      name: `N${at}`,
      size: at === 0 ? 0 : 2 ** at,
      edges: list.map((to, edge) => at === 0 ? ['shortcut', 'global', to] : ['property', `p${edge}`, to])
    }))
    const { graph, dominators } = await analyzeSnapshot(writeSnapshot(snapshotOf(nodes), folder))
    graph.close()
    const unreachable = new Set(unreachedWithout(links, -1))
    for (let node = 1; node < count; node++) {
      if (unreachable.has(node)) continue
      const expected = unreachedWithout(links, node).filter(other => !unreachable.has(other)).reduce((sum, other) => sum + nodes[other].size, 0)
      assert.equal(dominators.retainedSize[node], expected, `node ${node} of ${JSON.stringify(links)}`)
    }
  }), { numRuns: 300 })
})

test('a chain of 200,000 objects needs no stack', async () => {
  const length = 200_000
  const nodes = [{ type: 'synthetic', name: '', size: 0, edges: [['shortcut', 'global', 1]] },
    ...Array.from({ length }, (_, at) => ({ name: 'Link', size: 1, edges: at + 1 < length ? [['property', 'next', at + 2]] : [] }))]
  const { graph, dominators } = await analyzeSnapshot(writeSnapshot(snapshotOf(nodes), folder))
  graph.close()
  assert.equal(dominators.retainedSize[1], length)
  assert.equal(dominators.retainedSize[length], 1)
})
