/* global ResizeObserver, document, getComputedStyle, loopscope, matchMedia, uPlot */
'use strict'

// The section of memory: who owns the memory of the process, and how that has developed, as a stacked chart.

loopscope.memory = (() => {
  const { byId, element, percent, time } = loopscope.display
  const { showBytes } = loopscope.sizes
  const { memorySites, memoryText, problems, tables } = loopscope
  /** From the bottom up: what the application can change is below what it cannot. */
  const STACK = ['heap', 'buffers', 'external', 'worker', 'native', 'heap-free', 'loopscope', 'stacks', 'code']
  const AXIS_PX = 72
  const MIN_TICK_PX = 80
  let chart
  /** The last answer. */
  let known

  const color = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

  function show (answer) {
    known = answer
    const { rssBytes, owners, growing, container } = answer
    const growthOf = ({ owner, name }) => growing.find(one => one.owner === owner && one.name === name)
    tables.show('owners', [
      { title: 'Owner', cell: ({ owner, name }) => element('span', { className: `owner owner-${owner}` }, memoryText.ownerText(owner, name)) },
      { title: 'In memory', className: 'number', cell: ({ bytes }) => showBytes(bytes) },
      { title: 'Share', className: 'number', cell: ({ bytes }) => rssBytes === null ? '' : percent(bytes / rssBytes) },
      { title: 'Grows by', className: 'number', cell: row => growthOf(row) === undefined ? '' : `${showBytes(growthOf(row).bytesPerMinute)}/min` }
    ], owners.toSorted((left, right) => right.bytes - left.bytes), { empty: '' })
    byId('owners-note').textContent = [
      ...(answer.isStale ? [`The event loop is blocked: figures of the main thread are from ${time(answer.measuredAt)}.`] : []),
      ...(container === null ? [] : [`The container uses ${showBytes(container.usedBytes)} of ${showBytes(container.limitBytes)}.`])
    ].join(' ')
    draw()
    return memorySites.refresh(answer.sitesAt)
  }

  function pointsShown () {
    return byId('memory-span').value === 'day' ? known.coarse : known.recent
  }

  /** Each area covers those below it, so the whole is drawn first. */
  function draw () {
    const points = pointsShown()
    byId('memory-chart').hidden = points.length < 2
    byId('memory-summary').textContent = points.length < 2 ? 'No history yet: there is a point every ten seconds, and for a day every ten minutes.' : ''
    if (points.length < 2) return
    const sums = STACK.map((_, index) => points.map(({ bytes }) => STACK.slice(0, index + 1).reduce((sum, owner) => sum + (bytes[owner] ?? 0), 0)))
    const data = [points.map(({ at }) => at / 1000), ...sums.toReversed()]
    chart?.destroy()
    const holder = byId('memory-chart')
    const common = { stroke: color('--quiet'), grid: { stroke: color('--rule'), width: 1 }, ticks: { stroke: color('--rule') } }
    chart = new uPlot({ // eslint-disable-line new-cap
      width: holder.clientWidth,
      height: holder.clientHeight,
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, y: false },
      scales: { y: { range: (_, low, high) => [0, high * 1.05] } },
      axes: [
        { ...common, size: 30, space: MIN_TICK_PX, values: (_, seconds) => seconds.map(at => time(at * 1000)) },
        { ...common, size: AXIS_PX, values: (_, steps) => steps.map(step => `${step / 1e6} MB`) }
      ],
      series: [{}, ...STACK.toReversed().map(owner => {
        const fill = getComputedStyle(byId('memory-colors').querySelector(`.owner-${owner}`)).getPropertyValue('--kind').trim()
        return { stroke: color('--raised'), width: 1, fill, points: { show: false } }
      })]
    }, data, holder)
  }

  function start () {
    memorySites.start()
    byId('memory-colors').replaceChildren(...STACK.map(owner => element('li', { className: `owner owner-${owner}` }, memoryText.ownerText(owner))))
    byId('memory-span').addEventListener('change', () => { if (known !== undefined) draw() })
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { if (known !== undefined) draw() })
    new ResizeObserver(() => chart?.setSize({ width: byId('memory-chart').clientWidth, height: byId('memory-chart').clientHeight })).observe(byId('memory-chart'))
  }

  return { refresh: () => problems.load('owners', '/memory', show), start }
})()
