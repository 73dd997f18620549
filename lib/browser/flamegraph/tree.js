/* global document */
'use strict'

// What the page shows: the tree of the profile, with idle time or without, and what its frames are in words.

const loopscope = {}

loopscope.tree = (() => {
  const SIGNS = { all: '', app: '● ', dependency: '◆ ', node: '■ ', native: '▲ ', gc: '× ', idle: '○ ' }
  const KIND_NAMES = {
    all: '', app: 'application', dependency: 'dependency', node: 'Node.js', native: 'native', gc: 'garbage collector', idle: 'idle'
  }

  const graph = JSON.parse(document.getElementById('graph').textContent)
  let root

  function build (withIdle) {
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

  /** Shares are from here on those of this tree. */
  function choose (withIdle) {
    root = build(withIdle)
    return root
  }

  function inUnits (value) {
    return graph.unit === 'bytes' ? inBytes(value) : inTime(value)
  }

  function inBytes (bytes) {
    return bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e3).toFixed(1)} kB`
  }

  function inTime (micros) {
    return micros >= 1e6 ? `${(micros / 1e6).toFixed(2)} s` : `${(micros / 1e3).toFixed(1)} ms`
  }

  function shareOfAll (micros) {
    return `${(root.value > 0 ? 100 * micros / root.value : 0).toFixed(1)} %`
  }

  function timesOf ({ value, self }) {
    return `${inUnits(value)} (${shareOfAll(value)}), itself ${inUnits(self)} (${shareOfAll(self)})`
  }

  function describe (data, separator) {
    return [data.name, data.place, timesOf(data), KIND_NAMES[data.kind]].filter(Boolean).join(separator)
  }

  function labelOf ({ name, place, kind }) {
    return `${SIGNS[kind]}${name}\u2002${place}`
  }

  return {
    hasSamples: graph.nodes[0][2] > 0,
    isOfBytes: graph.unit === 'bytes',
    isAllIdle: () => build(false).value === 0,
    choose,
    describe,
    labelOf,
    shareOfAll
  }
})()
