/* global loopscope */
'use strict'

// Stalls, those of one route with one culprit in one row; each opens to the single ones. And the routes by how long they blocked.

loopscope.stalls = (() => {
  const { action, byId, culpritCell, duration, element, moment, place } = loopscope.display
  const { describeFolded, foldStack, groupStalls } = loopscope.figures
  const { flame, tables } = loopscope
  const PAGE_GROUPS = 15
  const PAGE_STALLS = 20
  const OUTSIDE = '(outside requests)'

  const opened = new Set()
  let groups = []
  let stalls = []

  /** @param {{ stalls: any[], totals: any }} known */
  function show (known) {
    stalls = known.stalls
    groups = groupStalls(stalls)
    const { count, blockedMs } = known.totals
    const shown = count > stalls.length ? ` The last ${stalls.length} are kept, and shown.` : ''
    byId('stalls-summary').textContent = count === 0 ? '' : `${count.toLocaleString()} since the process started, ${duration(blockedMs)} in all.${shown}`
    draw()
    showRoutes(known.totals.byRoute)
  }

  function draw () {
    tables.show('stalls', [
      { title: 'Culprit', className: 'place', cell: openerOf },
      { title: 'Route', className: 'place', cell: ({ route }) => route ?? OUTSIDE },
      { title: 'Cause', cell: ({ causes }) => element('span', {}, ...causes.map(causeOf)) },
      { title: 'Count', className: 'number', cell: ({ count }) => count.toLocaleString() },
      { title: 'In all', className: 'number', cell: ({ totalMs }) => duration(totalMs) },
      { title: 'Worst', className: 'number', cell: ({ worstMs }) => duration(worstMs) },
      { title: 'Last', className: 'number', cell: ({ lastAt }) => moment(lastAt) }
    ], groups, { empty: 'None. The loop has been in time since the process started.', pageRows: PAGE_GROUPS, detailOf })
  }

  function causeOf ({ cause, count }, index, all) {
    return element('span', { className: `cause ${cause}` }, all.length === 1 ? cause : `${cause} ${count}`)
  }

  function openerOf (group) {
    const isOpen = opened.has(group.key)
    const button = element('button', { type: 'button', className: 'opener', ariaExpanded: String(isOpen) }, group.culprit === null ? 'no culprit known' : culpritCell(group))
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

  /** The single ones, each opening its flame graph. */
  function listOf (key, list, slot, drawAgain) {
    const { table, more } = tables.make(`${slot} ${key}`, [
      { title: 'Began', cell: stall => action(moment(stall.at), `stall ${slot} ${stall.id}`, button => flame.openStall(button, slot, stall)) },
      { title: 'Lasted', className: 'number', cell: ({ durationMs }) => duration(durationMs) },
      { title: 'Cause', cell: ({ cause, startingUp }) => element('span', { className: `cause ${cause}` }, startingUp ? `${cause}, starting up` : cause) },
      { title: 'Line', className: 'place', cell: ({ culprit }) => culprit === null ? '' : `${culprit.file}:${culprit.line}` }
    ], list, { pageRows: PAGE_STALLS }, drawAgain)
    return [table, ...more]
  }

  /** The application's own frames, and what lies between them folded. */
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
      { title: 'Route', className: 'place', cell: ({ route }) => route ?? OUTSIDE },
      { title: 'Stalls', className: 'number', cell: ({ count }) => count.toLocaleString() },
      { title: 'Blocked', className: 'number', cell: ({ ms }) => duration(ms) }
    ], byRoute, { empty: 'No route has blocked the loop.', pageRows: PAGE_GROUPS })
  }

  return { show, listOf, stackOf, list: () => stalls }
})()
