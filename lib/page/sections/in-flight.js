/* global loopscope */
'use strict'

// The section of requests and jobs under way: what each does or waits for. It is answered while the event loop is blocked, too.

loopscope.inFlight = (() => {
  const { byId, culprit, dateTime, duration, element } = loopscope.display
  const { describeRoute, describeState } = loopscope.requestState
  const { problems, session, tables } = loopscope
  const PAGE_ROWS = 10

  function show (answer) {
    const where = answer.running === null ? '' : culprit({ ...answer.running, stack: [] })
    byId('in-flight-note').textContent = noteOf(answer, where)
    const trace = { title: 'Trace', className: 'place', cell: ({ traceId }) => traceId === null ? '' : element('code', {}, traceId) }
    tables.show('in-flight', [
      { title: 'Route', className: 'place', sort: describeRoute, cell: describeRoute },
      { title: 'Age', className: 'number', sort: ({ ageMs }) => ageMs, cell: ({ ageMs }) => duration(ageMs) },
      { title: 'Now', className: 'place', cell: request => element(request.state === 'running' ? 'strong' : 'span', {}, describeState(request, where)) },
      { title: 'Client', cell: ({ clientGone }) => clientGone ? 'gone' : '' },
      ...(answer.requests.some(({ traceId }) => traceId !== null) ? [trace] : [])
    ], answer.requests, { empty: 'No request is under way.', pageRows: PAGE_ROWS })
  }

  function noteOf ({ at, isStale, blockedMs, total, upgraded, running, requests }, where) {
    const blocked = `The event loop has been blocked for ${duration(blockedMs)}`
    const by = running === null ? '' : ` by ${running.route ?? 'code outside requests'}${where === '' ? '' : `: ${where}`}`
    const stale = at === null ? 'nothing was read before.' : `this was read at ${dateTime(at)}.`
    return [
      total === 0 ? '' : `${total} under way${requests.length < total ? `, the oldest ${requests.length} listed` : ''}.`,
      upgraded === 0 ? '' : `${upgraded} upgraded connection${upgraded === 1 ? '' : 's'}, such as WebSockets.`,
      isStale ? `${blocked}, and what runs there cannot be interrupted: ${stale}` : blockedMs === 0 ? '' : `${blocked}${by}.`
    ].filter(Boolean).join(' ')
  }

  async function refresh () {
    const answer = await problems.watch('in-flight', () => session.json('/requests'))
    if (answer !== undefined) show(answer)
  }

  return { refresh }
})()
