/* global loopscope */
'use strict'

// The section of where requests wait: of each route the lines of the code, what was awaited there, and what share of the route's time it took.

loopscope.waits = (() => {
  const { byId, duration, element, place } = loopscope.display
  const { problems, session, tables } = loopscope
  const PAGE_ROWS = 10
  const LINES = 5
  const SECONDS = 10
  const MIN_SHARE = 0.005

  function show (answer) {
    const { routes } = answer
    byId('waits-note').textContent = noteOf(answer)
    tables.show('waits', [
      { title: 'Route', className: 'place', sort: ({ route }) => route, cell: ({ route }) => element('strong', {}, route) },
      { title: 'Sampled', className: 'number', sort: ({ requests }) => requests, cell: ({ requests }) => requests.toLocaleString() },
      { title: 'Mean', className: 'number', sort: ({ totalMs, requests }) => totalMs / requests, cell: ({ totalMs, requests }) => duration(totalMs / requests) },
      { title: 'Waiting', className: 'number', sort: ({ waitingMs, totalMs }) => waitingMs / totalMs, cell: ({ waitingMs, totalMs }) => percent(waitingMs / totalMs) },
      { title: 'In line for the loop', className: 'number', sort: route => queuedOf(route) / route.totalMs, cell: route => percent(queuedOf(route) / route.totalMs) },
      { title: 'No await seen', className: 'number', cell: ({ unseenMs, totalMs }) => percent(unseenMs / totalMs) }
    ], routes, { empty: 'No request was sampled in the last 15 minutes.', pageRows: PAGE_ROWS, detailOf: route => linesOf(route, () => show(answer)) })
  }

  function linesOf ({ route, lines, totalMs, serial: [inRow] }, drawAgain) {
    const shown = lines.filter(({ ms, queuedMs }) => ms + queuedMs >= totalMs * MIN_SHARE)
    if (shown.length === 0) return null
    const { table, more } = tables.make(`waits ${route}`, [
      { title: 'Waits at', className: 'place', cell: line => place(line) },
      { title: 'Awaited', className: 'place', cell: ({ awaited, via }) => awaited === null ? '' : via === null ? awaited : `${awaited} (${via})` },
      { title: 'Share', className: 'number', sort: ({ share }) => share, cell: ({ share }) => percent(share) },
      { title: 'p50', className: 'number', sort: ({ p50Ms }) => p50Ms, cell: ({ p50Ms }) => duration(p50Ms) },
      { title: 'p99', className: 'number', sort: ({ p99Ms }) => p99Ms, cell: ({ p99Ms }) => duration(p99Ms) },
      { title: 'Waits per request', className: 'number', cell: ({ waits, requests }) => String(Math.round(waits / requests * 10) / 10) },
      { title: 'In line', className: 'number', cell: ({ queuedMs }) => percent(queuedMs / totalMs) }
    ], shown, { pageRows: LINES }, drawAgain)
    const isNotable = inRow !== undefined && inRow.awaits >= 2 && inRow.ms >= totalMs * MIN_SHARE
    const serial = isNotable ? [element('p', { className: 'quiet' }, place(inRow), `: ${inRow.awaits} awaits in a row, ${duration(inRow.ms / inRow.requests)} a request`)] : []
    return element('div', { className: 'scroll' }, table, ...more, ...serial)
  }

  function queuedOf ({ lines }) {
    return lines.reduce((sum, { queuedMs }) => sum + queuedMs, 0)
  }

  function percent (share) {
    return share < MIN_SHARE || Number.isNaN(share) ? '' : `${share < 0.0995 ? (share * 100).toFixed(1) : Math.round(share * 100)} %`
  }

  function noteOf ({ seconds, seen, sampled, isStale }) {
    const time = seconds === null ? 'of the last 15 minutes' : `of ${seconds} seconds`
    const all = seen === null || seen <= sampled ? '' : ` of ${seen.toLocaleString()}`
    return [
      `A sample ${time}: ${sampled.toLocaleString()}${all} ${sampled === 1 ? 'request' : 'requests'}.`,
      isStale ? 'The event loop is blocked: the last requests are missing.' : ''
    ].filter(Boolean).join(' ')
  }

  let isSampling = false

  async function sample () {
    const button = byId('waits-sample')
    isSampling = button.disabled = true
    byId('waits-note').textContent = `Sampling all requests for ${SECONDS} seconds.`
    const answer = await problems.watch('waits', () => session.json(`/waits?seconds=${SECONDS}`))
    button.disabled = false
    if (answer !== undefined) show(answer)
    else isSampling = false
  }

  /** What was sampled on demand stays until the page is loaded again. */
  async function refresh () {
    if (isSampling) return
    await problems.load('waits', '/waits', answer => { if (!isSampling) show(answer) })
  }

  function start () {
    byId('waits-sample').addEventListener('click', () => { sample() })
  }

  return { start, refresh }
})()
