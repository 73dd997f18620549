/* global loopscope */
'use strict'

// The panel of one flame graph at a time: of a stall, or of a stretch of the recorder's past; and of what changed since the time before.

loopscope.flame = (() => {
  const { byId, duration, element, place } = loopscope.display
  const flameGraph = new loopscope.FlameGraph(byId('flame'))
  const against = element('input', { type: 'checkbox' })
  const stretch = element('span')
  const choice = element('label', {}, against, stretch)
  const notes = element('span', { className: 'quiet', role: 'status' })
  let shown = null

  /**
   * @param {string} title
   * @param {any} graph  as the routes give it; null: none is kept
   * @param {any[]} [stack]  innermost first
   */
  function show (title, graph, stack = []) {
    shown = graph
    byId('flame-panel').hidden = false
    byId('flame-title').textContent = title
    byId('stack').replaceChildren(...stack.map(frame => element('li', {}, place(frame))))
    against.checked = false
    choice.hidden = graph?.fromMs === undefined
    if (!choice.hidden) stretch.textContent = `Compare with the ${duration(graph.toMs - graph.fromMs)} before`
    draw(graph)
    byId('flame-title').focus()
  }

  function draw (graph) {
    notes.textContent = (graph?.notes ?? []).join('; ')
    flameGraph.show(graph, 'No profile of it is kept.')
  }

  async function compare () {
    const graph = shown
    if (!against.checked) return draw(graph)
    const [from, to] = [Math.round(graph.fromMs), Math.round(graph.toMs)]
    const query = new URLSearchParams({ from, to, against: (to - from) / 1e3, format: 'graph', ...(graph.route && { route: graph.route }) })
    notes.textContent = 'Comparing …'
    try {
      const difference = await loopscope.session.json(`/cpu?${query}`)
      if (graph === shown && against.checked) draw(difference)
    } catch (error) {
      if (graph !== shown) return
      against.checked = false
      notes.textContent = error.message
    }
  }

  function close () {
    shown = null
    byId('flame-panel').hidden = true
    flameGraph.show(null)
  }

  function start () {
    byId('flame').before(element('div', { className: 'tools' }, byId('flame-close'), choice, notes))
    against.addEventListener('change', compare)
    byId('flame-close').addEventListener('click', close)
  }

  return { start, show }
})()
