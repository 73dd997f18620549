/* global ResizeObserver, devicePixelRatio, getComputedStyle, document, loopscope, matchMedia, uPlot */
'use strict'

// The line charts with the marks in them, and the selection of a time range by dragging.

loopscope.charts = (() => {
  const { byId, duration, time } = loopscope.display
  const { labelOf, peaksOf, placeLabel, scaleOf, stepsTo, toScale } = loopscope.figures
  const MAX_POINTS = 600
  const MIN_TICK_PX = 80
  const TICK_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600]
  const FONT_PX = 12
  const AXIS_PX = 64
  const LABEL_PX = 64 // a duration with space around it
  const MARK_ROWS = 3 // below each other; a mark whose text fits in none is a line, and stands in the list below the chart
  const lines = Object.fromEntries(['delay', 'utilization', 'requests'].map(name => [name, { times: [], values: [] }]))
  let plots = []
  let uses = { onSelect: () => {}, thresholdMs: 100 }
  let marks = []
  let spanSeconds = 60
  /** The labels in the delay chart as it is drawn: peaks first, marks where there is room. */
  let labels = []

  function color (name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
  }

  /** All charts end with the last delay value; delays are available from before the page was opened. */
  function span () {
    const last = lines.delay.times.at(-1) ?? 0
    return [last - spanSeconds, last]
  }

  function plot (name, { scale, axis, hooks = {} }) {
    const holder = byId(`${name}-chart`)
    holder.replaceChildren()
    const common = { stroke: color('--quiet'), grid: { stroke: color('--rule'), width: 1 }, ticks: { stroke: color('--rule') } }
    const clock = (_, seconds) => seconds.map(at => time(at * 1000))
    const fill = `${color('--accent')}22`
    const { times, values } = lines[name]
    const options = {
      width: holder.clientWidth,
      height: holder.clientHeight,
      legend: { show: false },
      cursor: { drag: { x: name === 'delay', y: false, setScale: false }, y: false },
      scales: { x: { range: span }, y: scale },
      axes: [{ ...common, size: 30, space: MIN_TICK_PX, incrs: TICK_SECONDS, values: clock }, { ...common, size: AXIS_PX, ...axis }],
      series: [{}, { stroke: color('--accent'), width: 1.5, fill, points: { show: false }, spanGaps: false }],
      hooks
    }
    return new uPlot(options, [times, values], holder) // eslint-disable-line new-cap
  }

  function draw () {
    for (const one of plots) one.destroy()
    const delays = {
      scale: { distr: 3, range: () => scaleOf(shownValues()) },
      axis: { splits: (_, axis, low, high) => stepsTo(high), values: (_, steps) => steps.map(labelOf) },
      hooks: { setSelect: [select], draw: [drawThreshold, drawPeaks, drawMarks] }
    }
    plots = [
      plot('delay', delays),
      plot('utilization', { scale: { range: () => [0, 100] }, axis: { splits: () => [0, 50, 100], values: (_, steps) => steps.map(step => `${step} %`) }, hooks: { draw: [drawMarks] } }),
      plot('requests', { scale: { range: (_, low, high) => [0, Math.max(10, high * 1.1)] }, axis: {}, hooks: { draw: [drawMarks] } })
    ]
  }

  function shownValues () {
    const [first] = span()
    return lines.delay.values.filter((_, index) => lines.delay.times[index] >= first)
  }

  /** Draws into the plot, in device pixels. */
  function paint (chart, name, work) {
    const { ctx } = chart
    ctx.save()
    ctx.strokeStyle = ctx.fillStyle = color(name)
    ctx.lineWidth = devicePixelRatio
    ctx.textAlign = 'left'
    ctx.textBaseline = 'alphabetic'
    ctx.font = `${FONT_PX * devicePixelRatio}px system-ui, sans-serif`
    work(ctx, chart.bbox)
    ctx.restore()
  }

  function stroke (ctx, fromX, fromY, toX, toY) {
    ctx.beginPath()
    ctx.moveTo(fromX, fromY)
    ctx.lineTo(toX, toY)
    ctx.stroke()
  }

  function drawThreshold (chart) {
    paint(chart, '--warning', (ctx, { left, width }) => {
      const y = chart.valToPos(uses.thresholdMs, 'y', true)
      ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio])
      stroke(ctx, left, y, left + width, y)
    })
  }

  function drawMarks (chart) {
    const [first, last] = span()
    paint(chart, '--mark', (ctx, { left, top, width, height }) => {
      for (const { at, text } of marks.filter(mark => mark.at / 1000 >= first && mark.at / 1000 <= last)) {
        const x = chart.valToPos(at / 1000, 'x', true)
        stroke(ctx, x, top, x, top + height)
        if (chart.root.parentElement.id !== 'delay-chart') continue
        const [gap, line, long] = [4 * devicePixelRatio, FONT_PX * devicePixelRatio, Math.min(width / 2, ctx.measureText(text).width)]
        const start = x > left + width / 2 ? x - gap - long : x + gap
        const place = placeLabel(Array.from({ length: MARK_ROWS }, (_, row) => ({ left: start, top: top + row * line, width: long + gap, height: line })), labels)
        if (place !== null) ctx.fillText(text, place.left, place.top + line, width / 2)
      }
    })
  }

  function drawPeaks (chart) {
    const { times } = lines.delay
    const from = times.findIndex(at => at >= span()[0])
    const shown = [times.slice(from), lines.delay.values.slice(from)]
    labels = []
    paint(chart, '--ink', (ctx, { left, top, width }) => {
      const apart = spanSeconds * LABEL_PX * devicePixelRatio / width
      for (const index of peaksOf(...shown, { leastMs: uses.thresholdMs, apart })) {
        const text = duration(shown[1][index])
        const [long, line] = [ctx.measureText(text).width, FONT_PX * devicePixelRatio]
        const start = Math.min(left + width - long, Math.max(left, chart.valToPos(shown[0][index], 'x', true) - long / 2))
        const bottom = Math.max(top + line, chart.valToPos(shown[1][index], 'y', true) - 5 * devicePixelRatio)
        const place = placeLabel([{ left: start, top: bottom - line, width: long, height: line }], labels)
        if (place !== null) ctx.fillText(text, place.left, bottom)
      }
    })
  }

  function select (chart) {
    const { left, width } = chart.select
    if (width > 0) uses.onSelect(chart.posToVal(left, 'x') * 1000, chart.posToVal(left + width, 'x') * 1000)
  }

  function add (name, at, value) {
    const { times, values } = lines[name]
    if (times.length > 0 && at / 1000 <= times.at(-1)) return
    times.push(at / 1000)
    values.push(name === 'delay' ? toScale(value) : value)
    if (times.length > MAX_POINTS) for (const list of [times, values]) list.shift()
  }

  /** @param {{ at: number, text: string }[]} [shownMarks] */
  function update (shownMarks = []) {
    marks = shownMarks
    for (const [index, { times, values }] of Object.values(lines).entries()) plots[index].setData([times, values])
    const values = shownValues()
    const highest = values.reduce((most, value) => Math.max(most, value), 0)
    const at = lines.delay.times[lines.delay.values.lastIndexOf(highest)]
    byId('delay-summary').textContent = values.length === 0
      ? 'No data yet.'
      : `Longest: ${duration(highest)} at ${time(at * 1000)}. Logarithmic scale; the dashed line is the stall threshold, ${duration(uses.thresholdMs)}. Drag over the chart to select a time range.`
  }

  /** @param {{ onSelect: (fromMs: number, toMs: number) => void, thresholdMs: number }} wanted */
  function start (wanted) {
    uses = wanted
    draw()
    byId('chart-span').addEventListener('change', ({ target }) => {
      spanSeconds = Number(target.value)
      update(marks)
    })
    const observer = new ResizeObserver(() => {
      for (const one of plots) one.setSize({ width: one.root.parentElement.clientWidth, height: one.root.parentElement.clientHeight })
    })
    observer.observe(byId('delay-chart'))
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw)
  }

  return { start, add, update }
})()
