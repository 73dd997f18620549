/* global loopscope */
'use strict'

// Slow requests, and where the time of each went: slow because of itself, or because of another route.

loopscope.requests = (() => {
  const { duration, element, moment } = loopscope.display
  const { partsOf } = loopscope.figures
  const { describeBehind, describeSlow } = loopscope.slowRequests
  const { problems, session, tables } = loopscope
  const PAGE_ROWS = 10
  let requests = []

  function show () {
    tables.show('slow', columnsFor(requests), requests, { empty: 'No request was slow in the last quarter of an hour.', pageRows: PAGE_ROWS })
  }

  function columnsFor (list) {
    const trace = { title: 'Trace', className: 'place', cell: ({ traceId }) => traceId === null ? '' : element('code', {}, traceId) }
    return [
      { title: 'Began', cell: ({ at }) => moment(at) },
      { title: 'Route', className: 'place', cell: ({ route }) => route },
      { title: 'Status', className: 'number', cell: ({ status }) => String(status) },
      { title: 'Took', className: 'number', cell: ({ durationMs }) => duration(durationMs) },
      { title: 'Where the time went', className: 'wide', cell: timeline },
      ...(list.some(({ traceId }) => traceId !== null) ? [trace] : [])
    ]
  }

  /** Widths are set by script: the page's policy lets no style stand in an element. */
  function timeline (request) {
    const parts = partsOf(request)
    const bars = parts.map(({ kind, share }) => {
      const bar = element('span', { className: `part ${kind}` })
      bar.style.width = `${share * 100}%`
      return bar
    })
    const texts = { own: 'its own code', behind: `behind ${describeBehind(request)}`, gc: 'garbage collection', waiting: 'waiting' }
    const said = parts.map(({ kind, ms }) => element('span', { className: 'said' }, element('span', { className: `key ${kind}` }), `${texts[kind]} ${duration(ms)}`))
    const bar = element('span', { className: 'timeline', ariaHidden: 'true' }, ...bars)
    return element('div', {}, element('strong', {}, describeSlow(request)), bar, element('span', { className: 'quiet' }, ...said))
  }

  /** Those of a route, and those that waited behind it. */
  function of (route) {
    return requests.filter(request => request.route === route || request.behind.some(other => other.route === route))
  }

  /** @param {string} key */
  function listOf (key, list, drawAgain) {
    const { table, more } = tables.make(`slow ${key}`, columnsFor(list), list, { pageRows: PAGE_ROWS }, drawAgain)
    return [table, ...more]
  }

  async function refresh () {
    const answer = await problems.watch('slow', () => session.json('/slow-requests'))
    if (answer === undefined) return
    requests = answer.requests
    show()
  }

  return { refresh, of, listOf }
})()
