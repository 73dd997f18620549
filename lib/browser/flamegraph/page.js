/* global d3, flamegraph, innerHeight, innerWidth, matchMedia, ResizeObserver */
'use strict'

// The script of the flame graph page: draws the graph and answers to pointer, keyboard and search.
// It runs in a browser. What it shows of a profile it sets as text.

;(() => {
  const FRAME_HEIGHT_PX = 22
  // Below this a frame cannot be seen or hit, and thousands of them make the page slow.
  const MIN_FRAME_PX = 0.5
  const ANIMATION_MS = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 200

  const SIGNS = { all: '', app: '● ', dependency: '◆ ', node: '■ ', native: '▲ ', gc: '× ', idle: '○ ' }
  const KIND_NAMES = {
    all: '', app: 'application', dependency: 'dependency', node: 'Node.js', native: 'native', gc: 'garbage collector', idle: 'idle'
  }

  const byId = id => document.getElementById(id)
  const chartElement = byId('chart')
  const searchBox = byId('search')
  const idleBox = byId('idle')
  const graph = JSON.parse(byId('graph').textContent)

  let chart
  let rootData
  let focused = null

  // --- Data

  function buildData (withIdle) {
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

  // --- Words

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
    return `${(rootData.value > 0 ? 100 * micros / rootData.value : 0).toFixed(1)} %`
  }

  function timesOf ({ value, self }) {
    return `${inUnits(value)} (${shareOfAll(value)}), itself ${inUnits(self)} (${shareOfAll(self)})`
  }

  function describe (data, separator) {
    return [data.name, data.place, timesOf(data), KIND_NAMES[data.kind]].filter(Boolean).join(separator)
  }

  // --- Drawing

  function draw () {
    chart?.destroy()
    rootData = buildData(idleBox.checked)
    focused = null
    chart = flamegraph.default()
      .width(chartElement.clientWidth)
      .cellHeight(FRAME_HEIGHT_PX)
      .minFrameSize(MIN_FRAME_PX)
      .inverted(true)
      .transitionDuration(ANIMATION_MS)
      .getName(({ data }) => `${SIGNS[data.kind]}${data.name}\u2002${data.place}`)
      .setColorMapper(node => `var(--${node.highlight ? 'match' : node.data.kind})`)
      .setLabelHandler(({ data }) => describe(data, ' · '))
      .setDetailsHandler(text => showDetails(text))
      .setSearchMatch(({ data }, term) => `${data.name}\n${data.place}`.toLowerCase().includes(term))
      .setSearchHandler(showMatches)
      .tooltip(tooltip)
      .onClick(afterZoom)
    d3.select(chartElement).datum(rootData).call(chart)
    byId('reset').disabled = true
    prepareFrames()
    if (searchBox.value !== '') search()
  }

  // d3-flame-graph makes and removes frames as it zooms; these are ready for keyboard and screen reader.
  function prepareFrames () {
    const frames = frameElements()
    if (!frames.nodes().includes(focused)) focused = frames.nodes()[0] ?? null
    frames
      .attr('role', 'button')
      .attr('tabindex', function () { return this === focused ? 0 : -1 })
      .attr('aria-label', ({ data }) => describe(data, ', '))
      .classed('match', node => Boolean(node.highlight))
  }

  function frameElements () {
    return d3.select(chartElement).selectAll('g.frame')
  }

  function afterZoom (node) {
    byId('reset').disabled = node.parent === null
    prepareFrames()
  }

  function resetZoom () {
    chart.resetZoom()
    prepareFrames()
  }

  // --- Details and tooltip

  function showDetails (text) {
    byId('details').textContent = text ?? (focused && focused === document.activeElement ? describe(dataOf(focused), ' · ') : '')
  }

  function dataOf (element) {
    return d3.select(element).datum().data
  }

  function tooltip () {}
  tooltip.show = (event, { data }) => {
    const tip = byId('tip')
    tip.textContent = describe(data, '\n')
    tip.hidden = false
    const { width, height } = tip.getBoundingClientRect()
    const left = Math.min(event.clientX + 12, innerWidth - width - 8)
    const below = event.clientY + 16
    tip.style.left = `${Math.max(8, left)}px`
    tip.style.top = `${below + height < innerHeight - 8 ? below : Math.max(8, event.clientY - height - 12)}px`
  }
  tooltip.hide = () => { byId('tip').hidden = true }

  // --- Search

  function search () {
    const term = searchBox.value.trim().toLowerCase()
    chartElement.classList.toggle('searching', term !== '')
    if (term === '') {
      chart.clear()
      byId('matches').textContent = ''
    } else {
      chart.search(term)
    }
    prepareFrames()
  }

  // Time is counted once: a match below another match is part of it.
  function showMatches (nodes) {
    const micros = nodes
      .filter(node => !node.ancestors().slice(1).some(({ highlight }) => highlight))
      .reduce((sum, { data }) => sum + data.value, 0)
    byId('matches').textContent = nodes.length === 0
      ? 'no match'
      : `${shareOfAll(micros)} in ${nodes.length} ${nodes.length === 1 ? 'frame' : 'frames'}`
  }

  // --- Keyboard

  const STEPS = {
    ArrowUp: node => element => d3.select(element).datum() === node.parent,
    ArrowDown: node => element => d3.select(element).datum().parent === node,
    ArrowLeft: node => element => isBeside(d3.select(element).datum(), node, -1),
    ArrowRight: node => element => isBeside(d3.select(element).datum(), node, 1)
  }

  function isBeside (candidate, node, direction) {
    return candidate.depth === node.depth && Math.sign(candidate.x0 - node.x0) === direction
  }

  function step (key) {
    const node = d3.select(focused).datum()
    const candidates = frameElements().nodes().filter(STEPS[key](node))
    const from = element => Math.abs(d3.select(element).datum().x0 - node.x0)
    const [nearest] = candidates.sort((a, b) => from(a) - from(b))
    if (nearest) focusFrame(nearest)
  }

  function focusFrame (element) {
    focused = element
    prepareFrames()
    element.focus()
  }

  function onFrameKey (event) {
    if (event.key in STEPS) step(event.key)
    else if (event.key === 'Enter' || event.key === ' ') chart.zoomTo(d3.select(focused).datum())
    else if (event.key === 'Home') focusFrame(frameElements().nodes()[0])
    else return
    event.preventDefault()
  }

  function onKey (event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Escape') return onEscape()
    if (event.target === searchBox) return
    if (event.key === '/') {
      event.preventDefault()
      searchBox.focus()
      searchBox.select()
    } else if (event.target.closest('.frame')) {
      onFrameKey(event)
    }
  }

  function onEscape () {
    searchBox.value = ''
    search()
    resetZoom()
  }

  // --- Start

  function listen () {
    document.addEventListener('keydown', onKey)
    searchBox.addEventListener('input', search)
    idleBox.addEventListener('change', draw)
    byId('reset').addEventListener('click', resetZoom)
    chartElement.addEventListener('focusin', event => {
      focused = event.target.closest('.frame') ?? focused
      prepareFrames()
      showDetails()
    })
    chartElement.addEventListener('focusout', () => { byId('details').textContent = '' })
    new ResizeObserver(() => {
      if (chart.width() === chartElement.clientWidth) return
      chart.width(chartElement.clientWidth).update()
      prepareFrames()
    }).observe(chartElement)
  }

  const [[, , total]] = graph.nodes
  if (total > 0) {
    document.querySelector('main').hidden = false
    if (graph.unit === 'bytes') for (const element of [idleBox.parentElement, ...document.querySelectorAll('.legend .gc, .legend .idle')]) element.remove()
    // A process that did nothing but wait would show an empty graph.
    idleBox.checked = buildData(false).value === 0
    draw()
    listen()
  }
})()
