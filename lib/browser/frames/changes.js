/* global loopscope */
'use strict'

// How a frame changed from one recording to another: by how many points its share of the whole grew or shrank, and whether that is more
// than two recordings of the same would differ by.

loopscope.changes = (() => {
  // Of a share p among n samples the standard error is √(p(1-p)/n); a difference of two of them is told above twice its own.
  const STANDARD_ERRORS = 2
  const STEPS = [
    { name: 'hottest', from: 10, text: '+10 and more' }, { name: 'hotter', from: 3, text: '+3 to +10' }, { name: 'warm', from: 0, text: 'up to +3' },
    { name: 'same', from: NaN, text: 'no clear change' },
    { name: 'cool', from: 0, text: 'up to −3' }, { name: 'colder', from: 3, text: '−3 to −10' }, { name: 'coldest', from: 10, text: '−10 and more' }
  ]
  const [HOTTER, COLDER] = [STEPS.slice(0, 3), STEPS.slice(4).reverse()]
  const MIN_CHANGE_POINTS = 0.1

  /**
   * @param {any} root  of the tree, which all shares are of
   * @param {{ before: any, after: any }} recorded  as the graph tells it
   * @param {boolean} withIdle  whether the shares are of all time recorded, or of the time at work
   */
  function changesFor (root, recorded, withIdle) {
    const [samplesBefore, samplesAfter] = [recorded.before, recorded.after].map(one => withIdle ? one.samples : one.busySamples)
    const share = (value, whole) => whole > 0 ? value / whole : 0
    const shareBefore = value => share(value, root.before)
    const pointsOf = (value, before) => Math.round(1000 * (share(value, root.value) - shareBefore(before))) / 10 // as precise as it is shown

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
   * What ran before and not after, each with all it called: heaviest first.
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
