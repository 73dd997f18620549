/* global loopscope */
'use strict'

// What is said of a frame: on it, beside the pointer, and to a screen reader; its colour; and what a search finds.

loopscope.words = (() => {
  const { showBytes } = loopscope.sizes
  const SIGNS = { all: '', app: '● ', dependency: '◆ ', wasm: '★ ', node: '■ ', native: '▲ ', gc: '× ', idle: '○ ', route: '⇒ ' }
  const KIND_NAMES = {
    all: '', app: 'application', dependency: 'dependency', wasm: 'WebAssembly', node: 'Node.js', native: 'native', gc: 'garbage collector', idle: 'idle', route: ''
  }

  /**
   * @param {any} graph
   * @param {any} root  of the tree, which all shares are of
   * @param {boolean} withIdle  whether time without work counts
   */
  function wordsFor (graph, root, withIdle) {
    const amounts = amountsFor(graph.unit, root)
    const changes = graph.difference && loopscope.changes.changesFor(root, graph.difference, withIdle)
    const { amountsOf, noteOf, colourOf, shareOf } = changes ? changeWords(amounts, changes) : plainWords(amounts)
    function describe (data, separator) {
      return [data.name, data.place, amountsOf(data), KIND_NAMES[data.kind], foldedText(data)].filter(Boolean).join(separator)
    }
    const labelOf = data => [SIGNS[data.kind] + data.name + noteOf(data), data.folded ? `${countOf(data.folded)} folded` : data.place].join('\u2002')
    return { changes, colourOf, describe, labelOf, shareOf }
  }

  /**
   * @param {'time' | 'bytes'} unit
   * @param {any} root
   */
  function amountsFor (unit, root) {
    const inUnits = unit === 'bytes' ? showBytes : inTime
    const percent = (part, whole) => `${(whole > 0 ? 100 * part / whole : 0).toFixed(1)} %`
    return {
      inUnits,
      shareAfter: value => percent(value, root.value),
      shareBefore: value => percent(value, root.before)
    }
  }

  function inTime (micros) {
    return micros >= 1e6 ? `${(micros / 1e6).toFixed(2)} s` : `${(micros / 1e3).toFixed(1)} ms`
  }

  function plainWords ({ inUnits, shareAfter }) {
    const amount = value => `${inUnits(value)} (${shareAfter(value)})`
    return {
      amountsOf: ({ value, self }) => `${amount(value)}, itself ${amount(self)}`,
      noteOf: () => '',
      colourOf: ({ kind }) => kind,
      shareOf: ({ value }) => shareAfter(value)
    }
  }

  /** Of a difference, the shares stand first: times of recordings that are not equally long say little. */
  function changeWords ({ inUnits, shareAfter, shareBefore }, { isClear, pointsOf, stepOf }) {
    const { showPoints } = loopscope.changes
    const changeOf = (value, before) => `${shareAfter(value)}, before ${shareBefore(before)}`
    return {
      amountsOf: data => [
        `${showPoints(pointsOf(data.value, data.before))} points${isClear(data) ? '' : ', no clear change'}: ${changeOf(data.value, data.before)}`,
        `itself ${showPoints(pointsOf(data.self, data.selfBefore))}: ${changeOf(data.self, data.selfBefore)}`,
        `${inUnits(data.value)}, before ${inUnits(data.before)}`
      ].join('; '),
      noteOf: data => isClear(data) ? ` ${showPoints(pointsOf(data.value, data.before))}` : '',
      colourOf: stepOf,
      shareOf: ({ value, before }) => changeOf(value, before)
    }
  }

  function foldedText ({ folded }) {
    if (folded === undefined) return ''
    const [hottest] = [...folded.values()].sort((a, b) => b.self - a.self)
    return `${countOf(folded)} folded, most in ${hottest.name} ${hottest.place}`.trim()
  }

  function countOf (folded) {
    return folded.size === 1 ? '1 function' : `${folded.size} functions`
  }

  /**
   * @param {{ name: string, place: string, owner: string }} data
   * @param {string} term  in lower case
   */
  function isFound ({ name, place, owner = '', folded = new Map() }, term) {
    return `${name}\n${place}\n${owner}`.toLowerCase().includes(term) || [...folded.values()].some(one => isFound(one, term))
  }

  /**
   * What a search finds, counted once where a match stands below another, and of all frames, so that folding changes no share.
   * @param {any} root  of the tree of all frames; those that are not shown have `isHidden`
   * @param {string} term  in lower case
   * @returns {{ value: number, before: number, shown: number, hidden: number }} shown, hidden: how many frames
   */
  function find (root, term) {
    const found = { value: 0, before: 0, shown: 0, hidden: 0 }
    const waiting = [{ data: root, isCounted: false }]
    for (const { data, isCounted } of waiting) {
      const isMatch = isFound(data, term)
      if (isMatch) found[data.isHidden ? 'hidden' : 'shown']++
      if (isMatch && !isCounted) {
        found.value += data.value
        found.before += data.before
      }
      for (const child of data.children) waiting.push({ data: child, isCounted: isCounted || isMatch })
    }
    return found
  }

  /**
   * @param {ReturnType<typeof find>} found
   * @param {(found: { value: number, before: number }) => string} shareOf
   */
  function tellFound (found, shareOf) {
    const { shown, hidden } = found
    if (shown + hidden === 0) return 'no match'
    const frames = shown + hidden === 1 ? 'frame' : 'frames'
    const where = hidden === 0 ? `${shown}` : shown === 0 ? `${hidden} folded` : `${shown} and ${hidden} folded`
    return `${shareOf(found)} in ${where} ${frames}`
  }

  return { find, isFound, tellFound, wordsFor }
})()
