/* global d3, document, flamegraph, innerHeight, innerWidth, loopscope, matchMedia, ResizeObserver */
'use strict'

// The flame graph page: draws the graph and answers to pointer, keys and search. What it shows of a profile it sets as text.

;(() => {
  const { tree, keyboard } = loopscope
  const { describe } = tree
  const FRAME_HEIGHT_PX = 22
  // Below this a frame cannot be seen or hit, and thousands of them make the page slow.
  const MIN_FRAME_PX = 0.5
  const ANIMATION_MS = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 200

  const byId = id => document.getElementById(id)
  const chartElement = byId('chart')
  const searchBox = byId('search')
  const idleBox = byId('idle')

  let chart

  // --- Drawing

  function draw () {
    chart?.destroy()
    keyboard.forget()
    chart = flamegraph.default()
      .width(chartElement.clientWidth)
      .cellHeight(FRAME_HEIGHT_PX)
      .minFrameSize(MIN_FRAME_PX)
      .inverted(true)
      .transitionDuration(ANIMATION_MS)
      .getName(({ data }) => tree.labelOf(data))
      .setColorMapper(node => `var(--${node.highlight ? 'match' : node.data.kind})`)
      .setLabelHandler(({ data }) => describe(data, ' · '))
      .setDetailsHandler(text => showDetails(text))
      .setSearchMatch(({ data }, term) => `${data.name}\n${data.place}`.toLowerCase().includes(term))
      .setSearchHandler(showMatches)
      .tooltip(tooltip)
      .onClick(afterZoom)
    d3.select(chartElement).datum(tree.choose(idleBox.checked)).call(chart)
    byId('reset').disabled = true
    keyboard.prepare()
    if (searchBox.value !== '') search()
  }

  function afterZoom (node) {
    byId('reset').disabled = node.parent === null
    keyboard.prepare()
  }

  function resetZoom () {
    chart.resetZoom()
    keyboard.prepare()
  }

  // --- Details and tooltip

  function showDetails (text) {
    const data = keyboard.focusedData()
    byId('details').textContent = text ?? (data ? describe(data, ' · ') : '')
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
    keyboard.prepare()
  }

  // Time is counted once: a match below another match is part of it.
  function showMatches (nodes) {
    const micros = nodes
      .filter(node => !node.ancestors().slice(1).some(({ highlight }) => highlight))
      .reduce((sum, { data }) => sum + data.value, 0)
    byId('matches').textContent = nodes.length === 0
      ? 'no match'
      : `${tree.shareOfAll(micros)} in ${nodes.length} ${nodes.length === 1 ? 'frame' : 'frames'}`
  }

  // --- Keys

  function onKey (event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Escape') return onEscape()
    if (event.target === searchBox) return
    if (event.key === '/') {
      event.preventDefault()
      searchBox.focus()
      searchBox.select()
    } else if (event.target.closest('.frame')) {
      keyboard.onFrameKey(event, node => chart.zoomTo(node))
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
      keyboard.moveTo(event.target.closest('.frame'))
      showDetails()
    })
    chartElement.addEventListener('focusout', () => { byId('details').textContent = '' })
    new ResizeObserver(() => {
      if (chart.width() === chartElement.clientWidth) return
      chart.width(chartElement.clientWidth).update()
      keyboard.prepare()
    }).observe(chartElement)
  }

  if (tree.hasSamples) {
    document.querySelector('main').hidden = false
    if (tree.isOfBytes) for (const element of [idleBox.parentElement, ...document.querySelectorAll('.legend .gc, .legend .idle')]) element.remove()
    // A process that did nothing but wait would show an empty graph.
    idleBox.checked = tree.isAllIdle()
    draw()
    listen()
  }
})()
