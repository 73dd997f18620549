/* global ResizeObserver, getComputedStyle, document, loopscope, matchMedia, uPlot */
'use strict'

// Loop delay and utilisation over time, and the choice of a stretch of it by dragging.

loopscope.charts = (() => {
  const { byId, time } = loopscope.display
  const MAX_POINTS = 600
  const MIN_TICK_PX = 80
  const TICK_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600]
  const delay = { times: [], values: [] }
  const utilization = { times: [], values: [] }
  let plots = []
  let onSelect = () => {}

  function colour (name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
  }

  function axes () {
    const axis = { stroke: colour('--quiet'), grid: { stroke: colour('--rule'), width: 1 }, ticks: { stroke: colour('--rule') } }
    const clock = (_, seconds) => seconds.map(at => time(at * 1000))
    return [{ ...axis, size: 30, space: MIN_TICK_PX, incrs: TICK_SECONDS, values: clock }, { ...axis, size: 56 }]
  }

  /** Both charts show the same time, of which the utilisation is known since the page was opened. */
  function span (_, first, last) {
    const { times } = delay
    return times.length < 2 ? [first, last] : [times[0], times.at(-1)]
  }

  function plot (id, label, data, scale, hooks) {
    const holder = byId(id)
    holder.replaceChildren()
    const line = { label, stroke: colour('--accent'), width: 1.5, fill: `${colour('--accent')}22`, points: { show: false }, spanGaps: false }
    const options = {
      width: holder.clientWidth,
      height: holder.clientHeight,
      legend: { show: false },
      cursor: { drag: { x: true, y: false, setScale: false } },
      scales: { x: { range: span }, y: scale },
      axes: axes(),
      series: [{}, line],
      hooks
    }
    return new uPlot(options, [data.times, data.values], holder) // eslint-disable-line new-cap
  }

  function draw () {
    for (const { destroy } of plots.map(one => ({ destroy: () => one.destroy() }))) destroy()
    plots = [
      plot('delay-chart', 'delay, ms', delay, { range: (_, low, high) => [0, Math.max(10, high * 1.1)] }, { setSelect: [select] }),
      plot('utilization-chart', 'utilisation, %', utilization, { range: () => [0, 100] }, {})
    ]
  }

  function select (chart) {
    const { left, width } = chart.select
    if (width > 0) onSelect(chart.posToVal(left, 'x') * 1000, chart.posToVal(left + width, 'x') * 1000)
  }

  function add ({ times, values }, at, value) {
    if (times.length > 0 && at / 1000 <= times.at(-1)) return
    times.push(at / 1000)
    values.push(value)
    if (times.length > MAX_POINTS) {
      times.shift()
      values.shift()
    }
  }

  function addDelay (at, maxDelayMs) {
    add(delay, at, maxDelayMs)
  }

  function addUtilization (at, ratio) {
    add(utilization, at, ratio === null ? null : ratio * 100)
  }

  function update () {
    plots[0]?.setData([delay.times, delay.values])
    plots[1]?.setData([utilization.times, utilization.values])
  }

  /** @param {(fromMs: number, toMs: number) => void} onSelected */
  function start (onSelected) {
    onSelect = onSelected
    draw()
    new ResizeObserver(() => {
      for (const one of plots) one.setSize({ width: one.root.parentElement.clientWidth, height: one.root.parentElement.clientHeight })
    }).observe(byId('delay-chart'))
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw)
  }

  return { start, addDelay, addUtilization, update }
})()
