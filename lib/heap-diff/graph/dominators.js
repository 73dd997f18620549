'use strict'

// Computes dominators and retained sizes. The dominator of a node is the last node through which every path from the root to it leads; the retained
// size of a node is the size of everything it dominates, which would be freed with it. The algorithm is Semi-NCA (Georgiadis, Tarjan, Werneck:
// Finding Dominators in Practice, 2006); dominators are unique, so the result equals that of any other algorithm.

const { ROOT } = require('./graph')

/** @import { Graph } from './graph' */
/** @import { WeakMapNames } from './read-graph' */

/**
 * @typedef {object} Dominators
 * @property {Uint32Array} dominatorOf    by node; the root's is itself
 * @property {Float64Array} retainedSize  by node, bytes
 * @property {Uint32Array} order          nodes so that each comes after its dominator, and what a node dominates follows it without gap
 * @property {Uint32Array} positionOf     of a node in that order
 * @property {Uint32Array} endOf          by node: position behind the last that it dominates
 */

/** @param {Graph} graph @param {WeakMapNames} weakMapNames @returns {Dominators} */
function findDominators (graph, weakMapNames) {
  const essential = essentialEdges(graph, weakMapNames)
  const retainers = countRetainers(graph, essential)
  const walk = walkDepthFirst(graph, essential, retainers)
  const dominatorOf = toNodes(graph, walk, immediateDominators(walk, predecessors(graph, essential, walk, retainers)))
  return { dominatorOf, ...measure(graph, walk, dominatorOf) }
}

/** @param {Graph} graph @param {Uint8Array} essential */
function countRetainers ({ nodeCount, edgeCount, edgeTo }, essential) {
  const counts = new Uint32Array(nodeCount)
  for (let edge = 0; edge < edgeCount; edge++) if (essential[edge]) counts[edgeTo[edge]]++
  return counts
}

/**
 * Numbers the nodes from 1 in the order in which a walk from the root meets them. Nodes that nothing retains hang below the
 * root and are walked from. Groups that only retain each other are not met.
 * @typedef {{ count: number, nodeAt: Uint32Array, numberOf: Uint32Array, parent: Uint32Array }} Walk  parent: by number, of numbers
 *
 * @param {Graph} graph
 * @param {Uint8Array} essential
 * @param {Uint32Array} retainers  by node, how many
 * @returns {Walk}
 */
function walkDepthFirst (graph, essential, retainers) {
  const { nodeCount, firstEdge, edgeTo } = graph
  const nodeAt = new Uint32Array(nodeCount + 1)
  const numberOf = new Uint32Array(nodeCount)
  const parent = new Uint32Array(nodeCount + 1)
  const nextEdge = firstEdge.slice()
  let count = 0

  /** @param {number} start @param {number} parentNumber */
  function walkFrom (start, parentNumber) {
    let node = start
    numberOf[node] = ++count
    nodeAt[count] = node
    parent[count] = parentNumber
    for (;;) {
      const next = nextChild(node)
      if (next !== -1) {
        parent[++count] = numberOf[node]
        numberOf[next] = count
        nodeAt[count] = node = next
        continue
      }
      if (node === start) return
      node = nodeAt[parent[numberOf[node]]]
    }
  }

  /** @param {number} node */
  function nextChild (node) {
    const end = firstEdge[node + 1]
    while (nextEdge[node] < end) {
      const edge = nextEdge[node]++
      if (essential[edge] && numberOf[edgeTo[edge]] === 0) return edgeTo[edge]
    }
    return -1
  }

  walkFrom(ROOT, 0)
  for (let node = 0; node < nodeCount; node++) {
    if (numberOf[node] === 0 && retainers[node] === 0) walkFrom(node, numberOf[ROOT])
  }
  return { count, nodeAt, numberOf, parent }
}

/**
 * @typedef {{ first: Uint32Array, from: Uint32Array }} Predecessors  of number n: from[first[n]] to from[first[n + 1]], numbers
 *
 * @param {Graph} graph
 * @param {Uint8Array} essential
 * @param {Walk} walk
 * @param {Uint32Array} retainers
 * @returns {Predecessors}
 */
function predecessors ({ firstEdge, edgeTo }, essential, { count, nodeAt, numberOf }, retainers) {
  const first = new Uint32Array(count + 2)
  let total = 0
  for (let number = 1; number <= count; number++) first[number] = total += retainers[nodeAt[number]]
  first[count + 1] = total
  const from = new Uint32Array(total)
  // Nodes that the walk did not reach have no number and are not sources here. They are never targets: a target was reached.
  for (let number = 1; number <= count; number++) {
    const node = nodeAt[number]
    for (let edge = firstEdge[node]; edge < firstEdge[node + 1]; edge++) {
      if (essential[edge]) from[--first[numberOf[edgeTo[edge]]]] = number
    }
  }
  return { first, from }
}

/** @param {Walk} walk @param {Predecessors} predecessors @returns {Uint32Array} by number */
function immediateDominators ({ count, parent }, { first, from }) {
  const dominator = parent.slice()
  const ancestor = parent
  const semi = new Uint32Array(count + 1)
  for (let number = 1; number <= count; number++) semi[number] = number
  const label = semi.slice()
  const stack = new Uint32Array(count + 1)

  /**
   * The vertex with the smallest semidominator on the way up among those with at least the number `linked`; the way is shortened.
   * @param {number} start
   * @param {number} linked
   */
  function evaluate (start, linked) {
    if (ancestor[start] < linked) return label[start]
    let depth = 0
    let vertex = start
    do {
      stack[depth++] = vertex
      vertex = ancestor[vertex]
    } while (ancestor[vertex] >= linked)
    let above = vertex
    let best = label[vertex]
    do {
      vertex = stack[--depth]
      ancestor[vertex] = ancestor[above]
      if (semi[best] < semi[label[vertex]]) label[vertex] = best
      else best = label[vertex]
      above = vertex
    } while (depth > 0)
    return label[start]
  }

  for (let number = count; number >= 2; number--) {
    let least = ancestor[number]
    for (let at = first[number]; at < first[number + 1]; at++) {
      const source = from[at] // 0: not met by the walk
      if (source === 0) continue
      const candidate = source < number ? source : semi[evaluate(source, number + 1)] // what is not linked yet is its own
      if (candidate < least) least = candidate
    }
    semi[number] = least
  }
  for (let number = 2; number <= count; number++) {
    let candidate = dominator[number]
    while (candidate > semi[number]) candidate = dominator[candidate]
    dominator[number] = candidate
  }
  return dominator
}

/**
 * What the walk did not meet hangs below the root.
 * @param {Graph} graph
 * @param {Walk} walk
 * @param {Uint32Array} dominator
 */
function toNodes ({ nodeCount }, { count, nodeAt }, dominator) {
  const dominatorOf = new Uint32Array(nodeCount).fill(ROOT)
  for (let number = 2; number <= count; number++) dominatorOf[nodeAt[number]] = nodeAt[dominator[number]]
  return dominatorOf
}

/** @param {Graph} graph @param {Walk} walk @param {Uint32Array} dominatorOf */
function measure ({ nodeCount, selfSize }, { count, nodeAt, numberOf }, dominatorOf) {
  const retainedSize = selfSize.slice()
  const below = new Uint32Array(nodeCount).fill(1)
  for (let node = 0; node < nodeCount; node++) {
    if (numberOf[node] !== 0) continue
    retainedSize[ROOT] += selfSize[node]
    below[ROOT]++
  }
  for (let number = count; number >= 2; number--) {
    const node = nodeAt[number]
    retainedSize[dominatorOf[node]] += retainedSize[node]
    below[dominatorOf[node]] += below[node]
  }
  return { retainedSize, ...arrange(nodeCount, { count, nodeAt, numberOf }, dominatorOf, below) }
}

/**
 * @param {number} nodeCount
 * @param {Pick<Walk, 'count' | 'nodeAt' | 'numberOf'>} walk
 * @param {Uint32Array} dominatorOf
 * @param {Uint32Array} below  how many nodes each dominates, itself included
 */
function arrange (nodeCount, { count, nodeAt, numberOf }, dominatorOf, below) {
  const order = new Uint32Array(nodeCount)
  const positionOf = new Uint32Array(nodeCount)
  const endOf = new Uint32Array(nodeCount)
  const nextFree = new Uint32Array(nodeCount)
  /** @param {number} node */
  const place = node => {
    const position = node === ROOT ? 0 : nextFree[dominatorOf[node]]
    if (node !== ROOT) nextFree[dominatorOf[node]] += below[node]
    positionOf[node] = position
    order[position] = node
    nextFree[node] = position + 1
    endOf[node] = position + below[node]
  }
  for (let number = 1; number <= count; number++) place(nodeAt[number])
  for (let node = 0; node < nodeCount; node++) if (numberOf[node] === 0) place(node)
  return { order, positionOf, endOf }
}

/**
 * Which edges keep their target alive in a way that counts for dominators. As DevTools has it.
 * @param {Graph} graph
 * @param {WeakMapNames} weakMapNames
 * @returns {Uint8Array} 1 or 0 an edge
 */
function essentialEdges (graph, weakMapNames) {
  const essential = new Uint8Array(graph.edgeCount)
  const ofApplication = markOfApplication(graph)
  const [weak, shortcut, internal] = ['weak', 'shortcut', 'internal'].map(type => graph.edgeTypeOf(type))
  const hasPairs = !weakMapNames.isEmpty
  for (let node = 0; node < graph.nodeCount; node++) {
    for (let edge = graph.firstEdge[node]; edge < graph.firstEdge[node + 1]; edge++) {
      const type = graph.edgeType[edge]
      const to = graph.edgeTo[edge]
      if (type === weak || to === node) continue
      if (node !== ROOT && (type === shortcut || (ofApplication[to] && !ofApplication[node]))) continue
      // The value of a WeakMap entry needs key and table; of the two edges, the one from the key is more informative.
      if (hasPairs && type === internal && weakMapNames.get(graph.edgeName[edge])?.tableId === graph.id[node]) continue
      essential[edge] = 1
    }
  }
  return essential
}

/** What the global objects reach. An edge into it from elsewhere is a debugger's or V8's own. @param {Graph} graph */
function markOfApplication (graph) {
  const marks = new Uint8Array(graph.nodeCount)
  const [weak, shortcut, element] = ['weak', 'shortcut', 'element'].map(type => graph.edgeTypeOf(type))
  const pending = []
  for (let edge = graph.firstEdge[ROOT]; edge < graph.firstEdge[ROOT + 1]; edge++) {
    const to = graph.edgeTo[edge]
    const isEntry = graph.edgeType[edge] === shortcut || (graph.edgeType[edge] === element && graph.isSynthetic(to) && graph.isUserRoot(to))
    if (isEntry && !marks[to]) {
      marks[to] = 1
      pending.push(to)
    }
  }
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    for (let edge = graph.firstEdge[node]; edge < graph.firstEdge[node + 1]; edge++) {
      const to = graph.edgeTo[edge]
      if (marks[to] || graph.edgeType[edge] === weak) continue
      marks[to] = 1
      pending.push(to)
    }
  }
  return marks
}

module.exports = { findDominators }
