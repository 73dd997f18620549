/* global loopscope */
'use strict'

// The panel of one flame graph at a time: of a stall, or of a stretch of the recorder's past; and of what changed since the time before. It opens
// below the section in which it was asked for, and closing it leads back there.

loopscope.flame = (() => {
  const { byId, duration, element, moment, place, time } = loopscope.display
  const { problems, session } = loopscope
  const flameGraph = new loopscope.FlameGraph(byId('flame'))
  const against = element('input', { type: 'checkbox' })
  const stretch = element('span')
  const choice = element('label', {}, against, stretch)
  const notes = element('span', { className: 'quiet', role: 'status' })
  let shown = null
  let openerKey = null

  /**
   * @param {Element} opener  the control
   * @param {string} slot  where problems of it are told
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
      return { title: `Stall of ${moment(stall.at)}: ${duration(stall.durationMs)}${stall.route ? ` in ${stall.route}` : ''}`, graph, stack: stall.stack }
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
      const difference = await session.json(`/cpu?${query}`)
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
    const opener = [...byId('flame-panel').previousElementSibling.querySelectorAll('button')].find(({ id, dataset }) => openerKey !== null && openerKey === (dataset.key ?? id))
    opener?.focus()
  }

  function start () {
    byId('flame').before(element('div', { className: 'tools' }, byId('flame-close'), choice, notes))
    against.addEventListener('change', compare)
    byId('flame-close').addEventListener('click', close)
  }

  return { start, openStall, openRange }
})()
