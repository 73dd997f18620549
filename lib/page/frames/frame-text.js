/* global loopscope */
'use strict'

// The texts and the color of a frame: its label, its tooltip, its text for screen readers; and the result of a search.

loopscope.frameText = (() => {
  const { showBytes } = loopscope.sizes
  const SIGNS = { all: '', app: '● ', dependency: '◆ ', wasm: '★ ', node: '■ ', native: '▲ ', gc: '× ', idle: '○ ', route: '⇒ ' }
  const KIND_NAMES = {
    all: '', app: 'application', dependency: 'dependency', wasm: 'WebAssembly', node: 'Node.js', native: 'native', gc: 'garbage collector', idle: 'idle', route: ''
  }

  /**
   * @param {any} graph
   * @param {any} root  of the tree; all shares are shares of it
   * @param {boolean} withIdle  whether idle time counts
   */
  function textFor (graph, root, withIdle) {
    const amounts = amountsFor(graph.unit, root)
    const changes = graph.difference && loopscope.changes.changesFor(root, graph.difference, withIdle)
    const { amountsOf, noteOf, colorOf, shareOf } = changes ? differenceText(amounts, changes) : plainText(amounts)
    function describe (data, separator) {
      return [data.name, data.place, amountsOf(data), KIND_NAMES[data.kind], foldedText(data)].filter(Boolean).join(separator)
    }
    const labelOf = data => [SIGNS[data.kind] + data.name + noteOf(data), data.folded ? `${countOf(data.folded)} folded` : data.place].join('\u2002')
    return { changes, colorOf, describe, labelOf, shareOf, percentOf: amounts.shareAfter }
  }

  /**
   * @param {'time' | 'bytes'} unit
   * @param {any} root
   */
  function amountsFor (unit, root) {
    const showAmount = unit === 'bytes' ? showBytes : showTime
    const percent = (part, whole) => `${(whole > 0 ? 100 * part / whole : 0).toFixed(1)} %`
    return {
      showAmount,
      shareAfter: value => percent(value, root.value),
      shareBefore: value => percent(value, root.before)
    }
  }

  function showTime (micros) {
    return micros >= 1e6 ? `${(micros / 1e6).toFixed(2)} s` : `${(micros / 1e3).toFixed(1)} ms`
  }

  function plainText ({ showAmount, shareAfter }) {
    const amount = value => `${showAmount(value)} (${shareAfter(value)})`
    return {
      amountsOf: ({ value, self }) => `${amount(value)}, self ${amount(self)}`,
      noteOf: () => '',
      colorOf: ({ kind }) => kind,
      shareOf: ({ value }) => shareAfter(value)
    }
  }

  /** Shares come first: times of recordings of different length cannot be compared. */
  function differenceText ({ showAmount, shareAfter, shareBefore }, { isClear, pointsOf, stepOf }) {
    const { showPoints } = loopscope.changes
    const changeOf = (value, before) => `${shareAfter(value)}, before ${shareBefore(before)}`
    return {
      amountsOf: data => [
        `${showPoints(pointsOf(data.value, data.before))} points${isClear(data) ? '' : ', no clear change'}: ${changeOf(data.value, data.before)}`,
        `self ${showPoints(pointsOf(data.self, data.selfBefore))}: ${changeOf(data.self, data.selfBefore)}`,
        `${showAmount(data.value)}, before ${showAmount(data.before)}`
      ].join('; '),
      noteOf: data => isClear(data) ? ` ${showPoints(pointsOf(data.value, data.before))}` : '',
      colorOf: stepOf,
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
  function isMatch ({ name, place, owner = '', folded = new Map() }, term) {
    return `${name}\n${place}\n${owner}`.toLowerCase().includes(term) || [...folded.values()].some(one => isMatch(one, term))
  }

  /**
   * Searches all frames, hidden ones included, so that folding does not change the shares. A match below another match counts once.
   * @param {any} root  of the tree of all frames; folded ones have `isHidden`
   * @param {string} term  in lower case
   * @returns {{ value: number, before: number, shown: number, hidden: number }} shown, hidden: number of frames
   */
  function find (root, term) {
    const found = { value: 0, before: 0, shown: 0, hidden: 0 }
    const waiting = [{ data: root, isCounted: false }]
    for (const { data, isCounted } of waiting) {
      const matches = isMatch(data, term)
      if (matches) found[data.isHidden ? 'hidden' : 'shown']++
      if (matches && !isCounted) {
        found.value += data.value
        found.before += data.before
      }
      for (const child of data.children) waiting.push({ data: child, isCounted: isCounted || matches })
    }
    return found
  }

  /**
   * @param {ReturnType<typeof find>} found
   * @param {(found: { value: number, before: number }) => string} shareOf
   */
  function describeMatches (found, shareOf) {
    const { shown, hidden } = found
    if (shown + hidden === 0) return 'no match'
    const frames = shown + hidden === 1 ? 'frame' : 'frames'
    const where = hidden === 0 ? `${shown}` : shown === 0 ? `${hidden} folded` : `${shown} and ${hidden} folded`
    return `${shareOf(found)} in ${where} ${frames}`
  }

  return { describeMatches, find, isMatch, textFor }
})()
