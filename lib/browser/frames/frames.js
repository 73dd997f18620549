/* global loopscope */
'use strict'

// The frames of a flame graph: a tree of them from the flat lists that a page receives, and what is shown of them.

loopscope.frames = (() => {
  const { showBytes } = loopscope.sizes
  const SIGNS = { all: '', app: '● ', dependency: '◆ ', node: '■ ', native: '▲ ', gc: '× ', idle: '○ ' }
  const KIND_NAMES = {
    all: '', app: 'application', dependency: 'dependency', node: 'Node.js', native: 'native', gc: 'garbage collector', idle: 'idle'
  }

  /**
   * @param {any} graph
   * @param {boolean} withIdle  whether time without work is shown; else it does not count
   */
  function treeOf (graph, withIdle) {
    const datas = graph.nodes.map(([, frame, total, self]) => {
      const [name, place, kind] = graph.frames[frame]
      return { name: kind === 'all' ? 'all' : name, place, kind, value: total, self, children: [] }
    })
    graph.nodes.forEach(([parent], index) => {
      if (parent === -1) return
      const data = datas[index]
      if (data.kind === 'idle' && !withIdle) datas[parent].value -= data.value
      else datas[parent].children.push(data)
    })
    return datas[0]
  }

  function inTime (micros) {
    return micros >= 1e6 ? `${(micros / 1e6).toFixed(2)} s` : `${(micros / 1e3).toFixed(1)} ms`
  }

  /**
   * @param {'time' | 'bytes'} unit
   * @param {any} root  of the tree, which all shares are of
   */
  function displayFor (unit, root) {
    const inUnits = unit === 'bytes' ? showBytes : inTime
    const shareOfAll = value => `${(root.value > 0 ? 100 * value / root.value : 0).toFixed(1)} %`
    const amount = value => `${inUnits(value)} (${shareOfAll(value)})`
    function describe ({ name, place, value, self, kind }, separator) {
      return [name, place, `${amount(value)}, itself ${amount(self)}`, KIND_NAMES[kind]].filter(Boolean).join(separator)
    }
    return { describe, shareOfAll }
  }

  function labelOf ({ name, place, kind }) {
    return `${SIGNS[kind]}${name}\u2002${place}`
  }

  return { labelOf, treeOf, displayFor }
})()
