/* global loopscope */
'use strict'

// The section of the present: the figures of the last second, the charts with the ten minutes before, memory, and the notice while the loop is blocked.

loopscope.now = (() => {
  const { byId, culprit, dateTime, duration, element, percent, time } = loopscope.display
  const { addReading, perSecond } = loopscope.figures
  const { showBytes } = loopscope.sizes
  const { charts, flame, range, tables } = loopscope
  const LOOK_BACK_MS = 10_000
  const MAX_MARKS = 5 // in the list; the charts have all

  let readings = []
  let stuckSince = null
  let marks = []

  /** @param {any[]} series  of the last ten minutes, oldest first */
  function onHistory (series) {
    for (const second of series) addSecond(second, second.maxDelayMs)
  }

  /** @returns {number | null} requests per second */
  function addSecond ({ at, utilization, answered }, delayMs) {
    if (typeof answered === 'number') readings = addReading(readings, { at, answered })
    const requests = perSecond(readings)
    charts.add('delay', at, delayMs)
    charts.add('utilization', at, utilization === null ? null : utilization * 100)
    charts.add('requests', at, requests)
    return requests
  }

  function onLoop (now) {
    const delayMs = Math.max(now.maxDelayMs, now.blockedMs)
    const requests = addSecond(now, delayMs)
    if (now.marks) marks = now.marks // only /loop has them, all of them
    charts.update(marks)
    showMarks()
    showFigures(now, { delayMs, requests })
    showMemory(now.memory)
    range.setRecorder(now.recorder)
    if (now.blockedMs === 0) showStuck(null)
  }

  function showFigures ({ utilization, memory, requests, isStale, answeredAt }, pace) {
    const orDash = value => value === null || value === undefined ? '–' : value
    const facts = [
      ['Delay, last second', duration(pace.delayMs)],
      ['Utilization', orDash(utilization === null ? null : percent(utilization))],
      ['Requests per second', orDash(pace.requests?.toFixed(pace.requests < 10 ? 1 : 0))],
      ['In flight', orDash(requests?.inFlight.toLocaleString())],
      ['Memory (RSS)', orDash(typeof memory?.rssBytes === 'number' ? showBytes(memory.rssBytes) : null)]
    ]
    const holder = byId('now')
    holder.replaceChildren(...facts.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, String(value)))))
    holder.classList.toggle('stale', isStale)
    if (isStale) holder.append(element('p', { className: 'quiet' }, answeredAt === null ? 'The main thread has not responded yet.' : `The main thread has not responded since ${time(answeredAt)}; memory is from that time.`))
  }

  /** The memory of the process, and whether its heap grows. */
  function showMemory (memory) {
    if (memory === null) return
    tables.show('memory', [
      { title: 'Space', cell: ({ name }) => name },
      { title: 'Used', className: 'number', cell: ({ usedBytes }) => showBytes(usedBytes) },
      { title: 'Reserved', className: 'number', cell: ({ sizeBytes }) => sizeBytes === null ? '' : showBytes(sizeBytes) }
    ], [
      { name: 'heap, all spaces', usedBytes: memory.heapUsedBytes, sizeBytes: memory.heapTotalBytes },
      ...memory.spaces.filter(({ sizeBytes }) => sizeBytes > 0),
      { name: 'external (buffers and native)', usedBytes: memory.externalBytes, sizeBytes: null }
    ], { empty: '' })
    byId('heap-trend').textContent = trendText(memory.trend)
  }

  function trendText (trend) {
    if (!trend) return ''
    if (trend.verdict === 'unknown') return `Heap after full garbage collections: ${trend.points} in ${trend.minutes.toFixed(0)} min, too few for a trend.`
    const slope = `${trend.bytesPerMinute < 0 ? '-' : '+'}${showBytes(Math.abs(trend.bytesPerMinute))} per minute over ${trend.minutes.toFixed(0)} min`
    if (trend.verdict === 'flat') return `Heap after full garbage collections: not growing (${slope}).`
    return `Heap after full garbage collections: growing by ${slope}, most in ${trend.spaces[0].name}; reaches its limit in about ${duration(trend.minutesToLimit * 60_000)}.`
  }

  function onMark (mark) {
    marks = [...marks, mark]
  }

  function showMarks () {
    byId('marks').replaceChildren(...marks.slice(-MAX_MARKS).reverse().map(({ at, text }) => element('li', {}, `${dateTime(at)} ${text}`)))
  }

  /** Screen readers announce #stuck-text, so it changes only when there is news; the duration, which changes all the time, is a separate element. */
  function showStuck (stuck) {
    byId('stuck').hidden = stuck === null
    stuckSince = stuck?.at ?? null
    if (stuck === null) return
    const where = [stuck.route && `in ${stuck.route}`, culprit(stuck)].filter(Boolean).join(': ')
    const text = `The event loop has been blocked since ${dateTime(stuck.at)}${where === '' ? '' : `, ${where}`}.`
    if (byId('stuck-text').textContent !== text) byId('stuck-text').textContent = text
    byId('stuck-for').textContent = `${duration(stuck.durationMs)} so far: every request waits. This page is served by another thread.`
  }

  function start (facts) {
    charts.start({ onSelect: range.choose, thresholdMs: facts.stallThresholdMs })
    byId('stuck-open').addEventListener('click', ({ currentTarget }) => {
      const now = Date.now()
      flame.openRange(currentTarget, 'stuck', { fromMs: Math.max(stuckSince ?? 0, now - LOOK_BACK_MS), toMs: now })
    })
  }

  return { start, onHistory, onLoop, onMark, showStuck }
})()
