/* global loopscope */
'use strict'

// The tables of a graph: all functions with their time, and the callers and callees of one of them, wherever it
// stands. A function that calls itself counts once.

loopscope.callers = (() => {
  const OTHER_KINDS = ['all', 'idle', 'route']

  /**
   * @param {any} graph
   * @returns {{ frame: number, self: number, total: number }[]} most time of its own first
   */
  function functionsOf ({ frames, nodes }) {
    const totals = totalsOf(nodes)
    const found = new Map()
    nodes.forEach(([, frame, self], node) => {
      if (OTHER_KINDS.includes(frames[frame][2])) return
      const sum = found.get(frame) ?? { frame, self: 0, total: 0 }
      found.set(frame, sum)
      sum.self += self
      if (isOutermost(nodes, node)) sum.total += totals[node]
    })
    return [...found.values()].sort((a, b) => b.self - a.self || b.total - a.total)
  }

  /**
   * The function at the root, its callers above it, theirs above them: as wide as the time of the function for which they called it.
   * @param {any} graph
   * @param {number} frame
   */
  function callersOf (graph, frame) {
    const { frames, nodes } = graph
    const totals = totalsOf(nodes, 2)
    const before = totalsOf(nodes, 3)
    const merged = new Merged(frame)
    nodes.forEach(([parent, own], node) => {
      if (own !== frame || !isOutermost(nodes, node)) return
      let at = 0
      for (let above = parent; above !== -1 && frames[nodes[above][1]][2] !== 'all'; above = nodes[above][0]) at = merged.below(at, nodes[above][1])
      merged.add(at, [totals[node], before[node]])
    })
    return { ...graph, nodes: merged.nodes, routes: undefined }
  }

  /**
   * The function at the root, and what it called.
   * @param {any} graph
   * @param {number} frame
   */
  function calleesOf (graph, frame) {
    const { nodes } = graph
    const merged = new Merged(frame)
    /** By the number in the graph: the number here. */
    const numbers = []
    nodes.forEach(([parent, own, ...selves], node) => {
      const above = numbers[parent]
      if (above !== undefined) numbers[node] = merged.below(above, own)
      else if (own === frame) numbers[node] = 0
      else return
      merged.add(numbers[node], selves)
    })
    return { ...graph, nodes: merged.nodes, routes: undefined }
  }

  /** Nodes in the form of a graph, one for each stack. */
  class Merged {
    nodes
    #numbers = new Map()

    constructor (frame) {
      this.nodes = [[-1, frame, 0, 0]]
    }

    below (parent, frame) {
      const key = `${parent} ${frame}`
      if (!this.#numbers.has(key)) this.#numbers.set(key, this.nodes.push([parent, frame, 0, 0]) - 1)
      return this.#numbers.get(key)
    }

    add (node, [self, before = 0]) {
      this.nodes[node][2] += self
      this.nodes[node][3] += before
    }
  }

  function totalsOf (nodes, amount = 2) {
    const totals = nodes.map(node => node[amount] ?? 0)
    for (let node = nodes.length - 1; node > 0; node--) totals[nodes[node][0]] += totals[node]
    return totals
  }

  function isOutermost (nodes, node) {
    const frame = nodes[node][1]
    for (let above = nodes[node][0]; above !== -1; above = nodes[above][0]) if (nodes[above][1] === frame) return false
    return true
  }

  return { functionsOf, callersOf, calleesOf }
})()
