/* global loopscope */
'use strict'

// The frames of a flame graph: the flat lists that a page receives, with routes as their first level where wanted, and a tree of them.
// Of a difference of two recordings each has an amount of its own in the one before, too.

loopscope.frames = (() => {
  const NO_ROUTE = 'no request, or not known'

  /**
   * @param {any} graph
   * @param {boolean} withIdle  whether time without work is shown; else it does not count
   * @param {boolean[]} [isHidden]  by node, as folding.js tells it
   * @returns {any} the root. Each has its own amount (`self`, `selfBefore`), that with all below it (`value`, `before`), and the frames
   *   below it, heaviest first
   */
  function treeOf ({ frames, nodes }, withIdle, isHidden = []) {
    const datas = nodes.map(([, frame, self, selfBefore = 0], node) => {
      const [name, place, kind, owner, folded] = frames[frame]
      return {
        ...{ name: kind === 'all' ? 'all' : name, place, kind, owner, folded, isHidden: isHidden[node] === true },
        ...{ value: self, self, before: selfBefore, selfBefore, children: [] }
      }
    })
    for (let node = nodes.length - 1; node > 0; node--) {
      const [data, parent] = [datas[node], datas[nodes[node][0]]]
      if (data.kind === 'idle' && !withIdle) continue
      parent.value += data.value
      parent.before += data.before
      parent.children.push(data)
    }
    for (const { children } of datas) children.reverse().sort((a, b) => b.value - a.value)
    return datas[0]
  }

  /**
   * The same time with the routes as the first level: a function that ran for several is there once for each. Idle time stays beside them.
   * @param {any} graph  with routes
   */
  function groupByRoute ({ routes: { names, times }, ...graph }) {
    const { frames, nodes } = graph
    const isIdle = node => frames[nodes[node][1]][2] === 'idle'
    const grouped = [[-1, nodes[0][1], 0, 0], ...nodes.filter((_, node) => isIdle(node)).map(([, ...idle]) => [0, ...idle])]
    const numbers = new Map()
    function numberOf (node, route) {
      const key = `${node} ${route}`
      if (!numbers.has(key)) {
        const [parent, frame] = nodes[node]
        const made = node === 0 ? [0, frames.length + 1 + route, 0, 0] : [numberOf(parent, route), frame, 0, 0]
        numbers.set(key, grouped.push(made) - 1)
      }
      return numbers.get(key)
    }
    for (const [node, route, self, selfBefore = 0] of times) {
      if (isIdle(node)) continue
      const made = grouped[numberOf(node, route)]
      made[2] += self
      made[3] += selfBefore
    }
    return { ...graph, nodes: grouped, frames: [...frames, ...[NO_ROUTE, ...names].map(name => [name, '', 'route', ''])] }
  }

  return { treeOf, groupByRoute }
})()
