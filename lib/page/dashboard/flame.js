/* global loopscope */
'use strict'

// The flame graph panel of the page: shows the graph of a stall or of a time range, and compares it with the time before. It opens below the
// section of its button, and closing it returns the focus there.

loopscope.flame = (() => {
  const { byId, dateTime, duration, element, place, time } = loopscope.display
  const { problems, session } = loopscope
  const flameGraph = new loopscope.FlameGraph(byId('flame'))
  const compareBox = element('input', { type: 'checkbox' })
  const compareText = element('span')
  const compareLabel = element('label', {}, compareBox, compareText)
  const notes = element('span', { className: 'quiet', role: 'status' })
  let shown = null
  let openerKey = null

  /**
   * @param {Element} opener  the button
   * @param {string} slot  where its problems are shown
   * @param {() => Promise<{ title: string, graph: any, stack?: any[] }>} load
   */
  function open (opener, slot, load) {
    const section = opener.closest('section')
    openerKey = opener.dataset.key ?? opener.id
    return problems.attempt(slot, async () => {
      const { title, graph, stack } = await load()
      section.after(byId('flame-panel'))
      show(title, graph, stack)
    })
  }

  /** @param {any} stall */
  function openStall (opener, slot, stall) {
    return open(opener, slot, async () => {
      const graph = await session.json(`/stalls/${stall.id}/cpu?format=graph`).catch(error => {
        if (error.status === 404) return null
        throw error
      })
      return { title: `Stall at ${dateTime(stall.at)}: ${duration(stall.durationMs)}${stall.route ? ` in ${stall.route}` : ''}`, graph, stack: stall.stack }
    })
  }

  /** @param {{ fromMs: number, toMs: number, route?: string | null }} wanted */
  function openRange (opener, slot, { fromMs, toMs, route = null }) {
    return open(opener, slot, async () => {
      const query = new URLSearchParams({ from: Math.round(fromMs), to: Math.round(toMs), format: 'graph', ...(route !== null && { route }) })
      const graph = await session.json(`/cpu?${query}`)
      return { title: `${time(graph.fromMs)} to ${time(graph.toMs)}${route === null ? '' : `, ${route}`}`, graph }
    })
  }

  /**
   * @param {string} title
   * @param {any} graph  as the server sends it; null: there is none
   * @param {any[]} [stack]  innermost first
   */
  function show (title, graph, stack = []) {
    shown = graph
    byId('flame-panel').hidden = false
    byId('flame-title').textContent = title
    byId('stack').replaceChildren(...stack.map(frame => element('li', {}, place(frame))))
    compareBox.checked = false
    compareLabel.hidden = graph?.fromMs === undefined
    if (!compareLabel.hidden) compareText.textContent = `Compare with the ${duration(graph.toMs - graph.fromMs)} before`
    draw(graph)
    byId('flame-title').focus()
  }

  function draw (graph) {
    notes.textContent = (graph?.notes ?? []).join('; ')
    flameGraph.show(graph, 'No profile was kept for this stall.')
  }

  async function compare () {
    const graph = shown
    if (!compareBox.checked) return draw(graph)
    const [from, to] = [Math.round(graph.fromMs), Math.round(graph.toMs)]
    const query = new URLSearchParams({ from, to, against: (to - from) / 1e3, format: 'graph', ...(graph.route && { route: graph.route }) })
    notes.textContent = 'Comparing …'
    try {
      const difference = await session.json(`/cpu?${query}`)
      if (graph === shown && compareBox.checked) draw(difference)
    } catch (error) {
      if (graph !== shown) return
      compareBox.checked = false
      notes.textContent = error.message
    }
  }

  function close () {
    shown = null
    byId('flame-panel').hidden = true
    flameGraph.show(null)
    const opener = [...byId('flame-panel').previousElementSibling.querySelectorAll('button')].find(({ id, dataset }) => openerKey !== null && openerKey === (dataset.key ?? id))
    opener?.focus()
  }

  function start () {
    byId('flame').before(element('div', { className: 'tools' }, byId('flame-close'), compareLabel, notes))
    compareBox.addEventListener('change', compare)
    byId('flame-close').addEventListener('click', close)
  }

  return { start, openStall, openRange }
})()
