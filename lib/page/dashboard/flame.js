/* global loopscope */
'use strict'

// The flame graph panel of the page: shows the graph of a stall or of a time range, compares it with the time before, and gives it as a link and as
// a file. It opens below the section of its button, and closing it returns the focus there.

loopscope.flame = (() => {
  const { byId, dateTime, duration, element, place, time } = loopscope.display
  const { links, problems, session } = loopscope
  const flameGraph = new loopscope.FlameGraph(byId('flame'))
  const compareBox = element('input', { type: 'checkbox' })
  const compareText = element('span')
  const compareLabel = element('label', {}, compareBox, compareText)
  const notes = element('span', { className: 'quiet', role: 'status' })
  const FILES = { cpuprofile: '.cpuprofile (DevTools)', pprof: 'pprof', flamegraph: 'flame graph (HTML)', text: 'text report' }
  const format = element('select', { ariaLabel: 'Format of the file' }, ...Object.entries(FILES).map(([value, text]) => element('option', { value }, text)))
  const save = element('button', { type: 'button' }, 'Download')
  const copy = links.button('flame', () => link)
  let shown = null
  let openerKey = null
  /** Where the server has the shown profile, and its link. */
  let address = ''
  let link = {}

  /**
   * @typedef {object} Opened
   * @property {string} title
   * @property {any} graph
   * @property {any[]} [stack]
   * @property {string} address  of the profile, without its format
   * @property {Record<string, string | number>} link
   *
   * @param {Element} opener  the button
   * @param {string} slot  where its problems are shown
   * @param {() => Promise<Opened>} load
   */
  function open (opener, slot, load) {
    const section = opener.closest('section')
    openerKey = opener.dataset.key ?? opener.id
    return problems.attempt(slot, async () => {
      const opened = await load()
      section.after(byId('flame-panel'))
      show(opened)
    })
  }

  /** @param {any} stall */
  function openStall (opener, slot, stall) {
    return open(opener, slot, async () => {
      const address = `/stalls/${stall.id}/cpu?`
      const graph = await session.json(`${address}format=graph`).catch(error => {
        if (error.status === 404) return null
        throw error
      })
      return { title: `Stall at ${dateTime(stall.at)}: ${duration(stall.durationMs)}${stall.route ? ` in ${stall.route}` : ''}`, graph, stack: stall.stack, address, link: { stall: stall.id, at: stall.at } }
    })
  }

  /** @param {{ fromMs: number, toMs: number, route?: string | null }} wanted */
  function openRange (opener, slot, { fromMs, toMs, route = null }) {
    return open(opener, slot, async () => {
      const range = { from: Math.round(fromMs), to: Math.round(toMs), ...(route !== null && { route }) }
      const address = `/cpu?${new URLSearchParams(range)}&`
      const graph = await session.json(`${address}format=graph`)
      return { title: `${time(graph.fromMs)} to ${time(graph.toMs)}${route === null ? '' : `, ${route}`}`, graph, address, link: range }
    })
  }

  /** @param {Opened} opened  graph: as the server sends it; null: there is none. stack: innermost first */
  function show ({ title, graph, stack = [], ...rest }) {
    shown = graph
    address = rest.address
    link = rest.link
    copy.textContent = 'Copy link'
    format.hidden = save.hidden = graph === null
    byId('flame-panel').hidden = false
    byId('flame-title').textContent = title
    byId('stack').replaceChildren(...stack.map(frame => element('li', {}, place(frame))))
    compareBox.checked = false
    compareLabel.hidden = graph?.fromMs === undefined
    if (!compareLabel.hidden) compareText.textContent = `Compare with the ${duration(graph.toMs - graph.fromMs)} before`
    draw(graph)
    byId('flame-title').focus({ preventScroll: true })
    byId('flame-panel').scrollIntoView()
  }

  function draw (graph) {
    notes.textContent = (graph?.notes ?? []).join('; ')
    const ordered = graph === shown ? () => session.json(`${address}format=graph&order=time`) : null
    flameGraph.show(graph, 'No profile was kept for this stall.', ordered)
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
    byId('flame').before(element('div', { className: 'tools' }, byId('flame-close'), copy, element('span', { className: 'joined' }, format, save), compareLabel, notes))
    save.addEventListener('click', () => problems.attempt('flame', () => session.download(`${address}format=${format.value}`, 'profile')))
    compareBox.addEventListener('change', compare)
    byId('flame-close').addEventListener('click', close)
  }

  return { start, openStall, openRange }
})()
