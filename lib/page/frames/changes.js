/* global loopscope */
'use strict'

// How a frame changed between two recordings: by how many percentage points its share grew or shrank, and whether that is more than two
// recordings of the same code would differ by.

loopscope.changes = (() => {
  // The standard error of a share p of n samples is √(p(1-p)/n). A difference counts as clear above twice its standard error.
  const STANDARD_ERRORS = 2
  const STEPS = [
    { name: 'hottest', from: 10, text: '+10 or more' }, { name: 'hotter', from: 3, text: '+3 to +10' }, { name: 'warm', from: 0, text: 'up to +3' },
    { name: 'same', from: NaN, text: 'no clear change' },
    { name: 'cool', from: 0, text: 'up to −3' }, { name: 'colder', from: 3, text: '−3 to −10' }, { name: 'coldest', from: 10, text: '−10 or more' }
  ]
  const [HOTTER, COLDER] = [STEPS.slice(0, 3), STEPS.slice(4).reverse()]
  const MIN_CHANGE_POINTS = 0.1

  /**
   * @param {any} root  of the tree; all shares are shares of it
   * @param {{ before: any, after: any }} recorded  the number of samples of each recording, as the graph has it
   * @param {boolean} withIdle  whether shares are of all recorded time, or of busy time
   */
  function changesFor (root, recorded, withIdle) {
    const [samplesBefore, samplesAfter] = [recorded.before, recorded.after].map(one => withIdle ? one.samples : one.busySamples)
    const share = (value, whole) => whole > 0 ? value / whole : 0
    const shareBefore = value => share(value, root.before)
    const pointsOf = (value, before) => Math.round(1000 * (share(value, root.value) - shareBefore(before))) / 10 // the precision shown

    function isClear ({ value, before }) {
      const variance = (part, samples) => samples > 0 ? part * (1 - part) / samples : 0
      const error = Math.sqrt(variance(share(value, root.value), samplesAfter) + variance(shareBefore(before), samplesBefore))
      const change = Math.abs(pointsOf(value, before))
      return change >= MIN_CHANGE_POINTS && change > STANDARD_ERRORS * error * 100
    }

    function stepOf (data) {
      if (!isClear(data)) return 'same'
      const points = pointsOf(data.value, data.before)
      return (points > 0 ? HOTTER : COLDER).find(({ from }) => Math.abs(points) >= from).name
    }

    return { isClear, shareBefore, stepOf, pointsOf }
  }

  /** @param {number} points */
  function showPoints (points) {
    const text = Math.abs(points).toFixed(1)
    return text === '0.0' ? '±0.0' : `${points > 0 ? '+' : '−'}${text}`
  }

  /**
   * Functions that ran only in the earlier recording, each with everything it called; heaviest first.
   * @param {any} root
   * @param {ReturnType<typeof changesFor>} changes
   */
  function vanishedFrom (root, { isClear }) {
    const found = []
    const waiting = [root]
    for (const { children } of waiting) {
      for (const child of children) {
        if (child.value > 0) waiting.push(child)
        else if (child.before > 0 && isClear(child)) found.push(child)
      }
    }
    return found.sort((a, b) => b.before - a.before)
  }

  return { STEPS, changesFor, showPoints, vanishedFrom }
})()
