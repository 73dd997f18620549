/* global loopscope */
'use strict'

// The section of stalls, grouped by route and culprit, each group with its single stalls; and the routes by blocked time.

loopscope.stalls = (() => {
  const { action, byId, culpritCell, dateTime, duration, element, place } = loopscope.display
  const { describeFolded, foldStack, groupStalls } = loopscope.figures
  const { flame, problems, tables } = loopscope
  const { describeEvidence } = loopscope.stallEvidence
  const PAGE_GROUPS = 15
  const PAGE_STALLS = 20
  const OUTSIDE = '(outside requests)'

  const opened = new Set()
  let groups = []
  let stalls = []

  /** @param {{ stalls: any[], totals: any }} answer */
  function show (answer) {
    stalls = answer.stalls
    groups = groupStalls(stalls)
    const { count, blockedMs } = answer.totals
    const shown = count > stalls.length ? ` Showing the last ${stalls.length}.` : ''
    byId('stalls-summary').textContent = count === 0 ? '' : `${count.toLocaleString()} ${count === 1 ? 'stall' : 'stalls'} since the process started, ${duration(blockedMs)} in total.${shown}`
    draw()
    showRoutes(answer.totals.byRoute)
  }

  function draw () {
    tables.show('stalls', [
      { title: 'Culprit', className: 'place', cell: openerOf },
      { title: 'Route', className: 'place', sort: ({ route }) => route ?? OUTSIDE, cell: ({ route }) => route ?? OUTSIDE },
      { title: 'Cause', cell: ({ causes }) => element('span', {}, ...causes.map(causeOf)) },
      { title: 'Count', className: 'number', sort: ({ count }) => count, cell: ({ count }) => count.toLocaleString() },
      { title: 'Total', className: 'number', sort: ({ totalMs }) => totalMs, cell: ({ totalMs }) => duration(totalMs) },
      { title: 'Longest', className: 'number', sort: ({ worstMs }) => worstMs, cell: ({ worstMs }) => duration(worstMs) },
      { title: 'Last', className: 'number', sort: ({ lastAt }) => lastAt, cell: ({ lastAt }) => dateTime(lastAt) }
    ], groups, { empty: 'No stalls since the process started.', pageRows: PAGE_GROUPS, detailOf })
  }

  function causeOf ({ cause, count }, index, all) {
    return element('span', { className: `cause ${cause}` }, all.length === 1 ? cause : `${cause} ${count}`)
  }

  function openerOf (group) {
    const isOpen = opened.has(group.key)
    const button = element('button', { type: 'button', className: 'opener', ariaExpanded: String(isOpen) }, group.culprit === null ? 'no culprit found' : culpritCell(group))
    button.dataset.key = group.key
    button.addEventListener('click', () => {
      if (!opened.delete(group.key)) opened.add(group.key)
      draw()
    })
    return button
  }

  function detailOf (group) {
    return opened.has(group.key) ? element('div', {}, ...listOf(group.key, group.stalls, 'stalls', draw), ...stackOf(group.key, group.stack)) : null
  }

  /**
   * @param {number} id
   * @param {number | null} at  when it began; null: the link does not say
   */
  function openLinked (id, at) {
    const stall = stalls.find(one => one.id === id && (at === null || one.at === at))
    if (stall === undefined) {
      const when = at === null || !Number.isFinite(at) ? '' : ` of ${dateTime(at)}`
      return problems.show('stalls', `Stall ${id}${when} is not here: the process keeps the last 200, and forgets them when it restarts.`)
    }
    opened.add(groups.find(group => group.stalls.includes(stall)).key)
    draw()
    flame.openStall(byId('stalls').querySelector(`[data-key="stall stalls ${id}"]`) ?? byId('stalls'), 'stalls', stall)
  }

  /** The single stalls, each with a button for its flame graph. */
  function listOf (key, list, slot, drawAgain) {
    const { table, more } = tables.make(`${slot} ${key}`, [
      { title: 'Started', cell: stall => action(dateTime(stall.at), `stall ${slot} ${stall.id}`, button => flame.openStall(button, slot, stall)) },
      { title: 'Duration', className: 'number', sort: ({ durationMs }) => durationMs, cell: ({ durationMs }) => duration(durationMs) },
      { title: 'Cause', cell: causeOfOne },
      { title: 'Line', className: 'place', cell: ({ culprit }) => culprit === null ? '' : `${culprit.file}:${culprit.line}` }
    ], list, { pageRows: PAGE_STALLS }, drawAgain)
    return [table, ...more]
  }

  function causeOfOne ({ cause, startingUp, evidence, durationMs }) {
    const figures = describeEvidence(cause, evidence, durationMs)
    const text = element('span', { className: `cause ${cause}` }, startingUp ? `${cause}, starting up` : cause)
    return figures === '' ? text : element('span', {}, text, element('span', { className: 'quiet' }, figures))
  }

  /** The frames of the application; the frames between them are folded. */
  function stackOf (key, stack = []) {
    if (stack.length === 0) return []
    const pieces = foldStack(stack).map((piece, index) => element('li', {}, piece.isOwn ? element('strong', {}, place(piece.frame)) : foldedOf(`${key} ${index}`, piece.frames)))
    const details = element('details', {}, element('summary', {}, 'Stack, innermost first'), element('ul', { className: 'stack' }, ...pieces))
    details.dataset.key = `stack ${key}`
    return [details]
  }

  function foldedOf (key, frames) {
    const details = element('details', { className: 'quiet' }, element('summary', {}, describeFolded(frames)), element('ul', {}, ...frames.map(frame => element('li', {}, place(frame)))))
    details.dataset.key = `frames ${key}`
    return details
  }

  function showRoutes (byRoute) {
    tables.show('routes', [
      { title: 'Route', className: 'place', sort: ({ route }) => route ?? OUTSIDE, cell: ({ route }) => route ?? OUTSIDE },
      { title: 'Stalls', className: 'number', sort: ({ count }) => count, cell: ({ count }) => count.toLocaleString() },
      { title: 'Blocked', className: 'number', sort: ({ ms }) => ms, cell: ({ ms }) => duration(ms) }
    ], byRoute, { empty: 'No route has blocked the event loop.', pageRows: PAGE_GROUPS })
  }

  return { show, listOf, openLinked, stackOf, list: () => stalls }
})()
