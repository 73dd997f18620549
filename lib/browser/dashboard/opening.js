/* global loopscope */
'use strict'

// A flame graph opens below the section in which it was asked for, and closing it leads back there.

loopscope.opening = (() => {
  const { byId, duration, moment, time } = loopscope.display
  const { flame, problems, session } = loopscope
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
      flame.show(title, graph, stack)
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

  function start () {
    byId('flame-close').addEventListener('click', () => {
      const opener = [...byId('flame-panel').previousElementSibling.querySelectorAll('button')].find(({ id, dataset }) => openerKey !== null && openerKey === (dataset.key ?? id))
      opener?.focus()
    })
  }

  return { openStall, openRange, start }
})()
