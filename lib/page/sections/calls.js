/* global loopscope */
'use strict'

// The section of synchronous calls: which block the event loop, where they are made, and what to call instead.

loopscope.calls = (() => {
  const { byId, duration, element, place } = loopscope.display
  const { problems, tables } = loopscope
  const PAGE_ROWS = 15

  function show ({ sampled, exact }) {
    const rows = rowsOf(sampled, exact ?? [])
    tables.show('sync', [
      { title: 'Where', className: 'place', cell: ({ callSite }) => element('span', { className: 'own' }, place(callSite)) },
      { title: 'Calls', className: 'api', sort: ({ api }) => api, cell: ({ api, flagged }) => flagged ? element('strong', {}, `${api} ⚑`) : api },
      { title: 'Routes', className: 'place', cell: ({ routes }) => routes.map(({ route }) => route ?? '(no known route)').join(', ') },
      { title: 'Time', className: 'number', sort: ({ ms }) => ms, cell: ({ ms }) => duration(ms) },
      { title: 'Measured', cell: ({ source }) => source },
      { title: 'Fix', className: 'place', cell: ({ advice }) => advice.instead }
    ], rows, { empty: 'No synchronous call took 1 ms or more.', pageRows: PAGE_ROWS })
    byId('sync-note').textContent = rows.some(({ standardError }) => standardError?.calls > 0)
      ? '±: an estimate with its standard error. Counts without ± are exact, and so are the totals by API.'
      : ''
  }

  function rowsOf (sampled, exact) {
    const exactKeys = new Set(exact.map(keyOf))
    return [
      ...exact.map(call => ({ ...call, ms: call.totalMs, source: callsOf(call) })),
      ...sampled.filter(call => !exactKeys.has(keyOf(call))).map(call => ({ ...call, source: `sampled, ${(call.share * 100).toFixed(1)} % of busy time` }))
    ].filter(({ ms, flagged }) => flagged || ms >= 1).sort((a, b) => b.flagged - a.flagged || b.ms - a.ms)
  }

  function callsOf ({ calls, standardError }) {
    const error = standardError.calls === 0 ? '' : ` ± ${standardError.calls.toLocaleString()}`
    return `${calls.toLocaleString()}${error} calls`
  }

  function keyOf ({ api, callSite }) {
    return `${api} ${callSite.file}`
  }

  return { refresh: () => problems.load('sync', '/sync-calls', show) }
})()
