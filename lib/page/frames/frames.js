/* global loopscope */
'use strict'

// Turns the flat lists of frames that a page receives into a tree, on request grouped by route or without frameworks. In a difference of two
// recordings each frame also has its amount in the earlier one.

loopscope.frames = (() => {
  const NO_ROUTE = 'no request, or unknown'
  const FRAMEWORK_KINDS = ['dependency', 'node']
  // Hidden with a framework that calls them: a sort called by a package counts as the package's.
  const FOLLOWING_KINDS = [...FRAMEWORK_KINDS, 'native', 'wasm']

  /**
   * @param {any} graph
   * @param {boolean} withIdle  whether idle time is included
   * @param {boolean[]} [isHidden]  by node, as foldFrameworks() returns it
   * @returns {any} the root. Each frame has its own amount (`self`, `selfBefore`), its total with all frames below it (`value`, `before`),
   *   and the frames below it, heaviest first, or in the order of the graph where that is of time
   */
  function treeOf ({ frames, nodes, isOrdered = false }, withIdle, isHidden = []) {
    const items = nodes.map(([, frame, self, selfBefore = 0], node) => {
      const [name, place, kind, owner, folded] = frames[frame]
      return {
        ...{ name: kind === 'all' ? 'all' : name, place, kind, owner, folded, isHidden: isHidden[node] === true },
        ...{ value: self, self, before: selfBefore, selfBefore, children: [] }
      }
    })
    for (let node = nodes.length - 1; node > 0; node--) {
      const [data, parent] = [items[node], items[nodes[node][0]]]
      if (data.kind === 'idle' && !withIdle) continue
      parent.value += data.value
      parent.before += data.before
      parent.children.push(data)
    }
    for (const { children } of items) {
      children.reverse()
      if (!isOrdered) children.sort((a, b) => b.value - a.value)
    }
    return items[0]
  }

  /**
   * Groups by route: the routes are the first level, and a function that ran for several routes occurs once in each. Idle time stays next to them.
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

  /**
   * Hides frames of packages and Node.js between and above frames of the application, so that each function of the application is directly below
   * the one that led to it. The self time of hidden frames stays, as one frame per package. What the application's functions called is shown
   * as it is, unless it calls the application back.
   * @param {any} graph
   * @returns {{ graph: any, isHidden: boolean[] }} isHidden: by node of the given graph. Nothing is hidden if there is no
   *   function of the application
   */
  function foldFrameworks (graph) {
    const isHidden = hiddenNodes(graph)
    const folded = new Folded(graph.frames)
    graph.nodes.forEach(([parent, frame, ...selves], node) => {
      if (isHidden[node]) folded.hide(node, parent, graph.frames[frame], selves)
      else folded.show(node, parent, frame, selves)
    })
    return { graph: { ...graph, frames: folded.frames, nodes: folded.nodes }, isHidden }
  }

  /** @param {any} graph */
  function hiddenNodes ({ frames, nodes }) {
    const kinds = nodes.map(([, frame]) => frames[frame][2])
    const isHidden = nodes.map(() => false)
    if (!kinds.includes('app')) return isHidden
    const holdsApp = nodes.map(() => false)
    for (let node = nodes.length - 1; node > 0; node--) if (kinds[node] === 'app' || holdsApp[node]) holdsApp[nodes[node][0]] = true
    const isBelowApp = nodes.map(() => false)
    nodes.forEach(([parent], node) => {
      if (parent === -1) return
      isBelowApp[node] = kinds[parent] === 'app' || isBelowApp[parent]
      const isFramework = FRAMEWORK_KINDS.includes(kinds[node]) && (holdsApp[node] || !isBelowApp[node])
      isHidden[node] = isFramework || (isHidden[parent] && FOLLOWING_KINDS.includes(kinds[node]))
    })
    return isHidden
  }

  /** The remaining graph, built node by node, callers first. */
  class Folded {
    nodes = []
    frames
    #numbers = [] // by the number in the given graph: the number here of the node, or of the node that it is put below
    #owners = [] // by the number in the given graph, for hidden nodes: the package
    #merged = new Map()

    constructor (frames) {
      this.frames = [...frames]
    }

    show (node, parent, frame, selves) {
      const above = parent === -1 ? -1 : this.#numbers[parent]
      this.#numbers[node] = this.#put(`${above} ${frame}`, () => [above, frame], selves)
    }

    /** Its shown callees, and its own time, are put below its nearest shown caller. */
    hide (node, parent, [name, place, , owner], selves) {
      const above = this.#numbers[node] = this.#numbers[parent]
      const itsOwner = this.#owners[node] = owner || this.#owners[parent]
      if (selves.every(self => self === 0)) return
      const kind = itsOwner === 'Node.js' ? 'node' : 'dependency'
      const number = this.#put(`${above} of ${itsOwner}`, () => [above, this.frames.push([itsOwner, '', kind, itsOwner, new Map()]) - 1], selves)
      const functions = this.frames[this.nodes[number][1]][4]
      const existing = functions.get(`${name} ${place}`)
      functions.set(`${name} ${place}`, { name, place, self: selves[0] + (existing?.self ?? 0) })
    }

    #put (key, make, selves) {
      if (!this.#merged.has(key)) this.#merged.set(key, this.nodes.push([...make(), ...selves.map(() => 0)]) - 1)
      const number = this.#merged.get(key)
      selves.forEach((self, index) => { this.nodes[number][2 + index] += self })
      return number
    }
  }

  return { treeOf, groupByRoute, foldFrameworks }
})()
