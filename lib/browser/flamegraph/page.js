/* global document, innerHeight, innerWidth, loopscope */
'use strict'

// The flame graph page: draws the graph and answers to pointer, keys and search. What it shows of a profile it sets as text.

;(() => {
  const { treeOf, displayFor } = loopscope.frames
  const byId = id => document.getElementById(id)
  const searchBox = byId('search')
  const idleBox = byId('idle')
  const graph = JSON.parse(byId('graph').textContent)

  const drawing = new loopscope.Drawing(byId('chart'), {
    showDetails: text => { byId('details').textContent = text },
    onZoom: isZoomed => { byId('reset').disabled = !isZoomed },
    configure: chart => chart
      .setSearchMatch(({ data }, term) => `${data.name}\n${data.place}`.toLowerCase().includes(term))
      .setSearchHandler(showMatches)
      .tooltip(tooltip)
  })
  let display

  function draw () {
    const tree = treeOf(graph, idleBox.checked)
    display = displayFor(graph.unit, tree)
    drawing.draw(tree, display)
    if (searchBox.value !== '') search()
  }

  // --- Tooltip

  function tooltip () {}
  tooltip.show = (event, { data }) => {
    const tip = byId('tip')
    tip.textContent = display.describe(data, '\n')
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
    if (term === '') byId('matches').textContent = ''
    drawing.search(term)
  }

  // Time is counted once: a match below another match is part of it.
  function showMatches (nodes) {
    const value = nodes
      .filter(node => !node.ancestors().slice(1).some(({ highlight }) => highlight))
      .reduce((sum, { data }) => sum + data.value, 0)
    byId('matches').textContent = nodes.length === 0
      ? 'no match'
      : `${display.shareOfAll(value)} in ${nodes.length} ${nodes.length === 1 ? 'frame' : 'frames'}`
  }

  // --- Keys

  function onKey (event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Escape') {
      searchBox.value = ''
      search()
      drawing.resetZoom()
    } else if (event.key === '/' && event.target !== searchBox) {
      event.preventDefault()
      searchBox.focus()
      searchBox.select()
    }
  }

  // --- Start

  if (graph.nodes[0][2] > 0) {
    document.querySelector('main').hidden = false
    if (graph.unit === 'bytes') for (const element of [idleBox.parentElement, ...document.querySelectorAll('.legend .gc, .legend .idle')]) element.remove()
    // A process that did nothing but wait would show an empty graph.
    idleBox.checked = treeOf(graph, false).value === 0
    draw()
    document.addEventListener('keydown', onKey)
    searchBox.addEventListener('input', search)
    idleBox.addEventListener('change', draw)
    byId('reset').addEventListener('click', () => drawing.resetZoom())
  }
})()
