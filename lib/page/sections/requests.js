/* global loopscope */
'use strict'

// The sections of requests and jobs under way: what each does or waits for, also while the event loop is blocked; and of slow requests: where the time
// of each went, in its own code or behind the code of another route.

loopscope.inFlight = (() => {
  const { byId, culprit, dateTime, duration, element, traceColumns } = loopscope.display
  const { describeRoute, describeState } = loopscope.requestText
  const { problems, tables } = loopscope
  const PAGE_ROWS = 10

  function show (answer) {
    const where = answer.running === null ? '' : culprit({ ...answer.running, stack: [] })
    byId('in-flight-note').textContent = noteOf(answer, where)
    tables.show('in-flight', [
      { title: 'Route', className: 'place', sort: describeRoute, cell: describeRoute },
      { title: 'Age', className: 'number', sort: ({ ageMs }) => ageMs, cell: ({ ageMs }) => duration(ageMs) },
      { title: 'Now', className: 'place', cell: request => element(request.state === 'running' ? 'strong' : 'span', {}, describeState(request, where)) },
      { title: 'Client', cell: ({ clientGone }) => clientGone ? 'gone' : '' },
      ...traceColumns(answer.requests)
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

  return { refresh: () => problems.load('in-flight', '/requests', show) }
})()

loopscope.requests = (() => {
  const { dateTime, duration, element, traceColumns } = loopscope.display
  const { partsOf } = loopscope.figures
  const { describeBehind, describeSlow, describeStep, foldSimultaneous } = loopscope.requestText
  const { problems, tables } = loopscope
  const PAGE_ROWS = 10
  let requests = []

  function show (answer) {
    requests = answer.requests
    tables.show('slow', columnsFor(requests), foldSimultaneous(requests), { empty: 'No slow requests in the last 15 minutes.', pageRows: PAGE_ROWS })
  }

  function columnsFor (list) {
    return [
      { title: 'Started', sort: ({ at }) => at, cell: ({ at }) => dateTime(at) },
      { title: 'Route', className: 'place', sort: ({ route }) => route, cell: ({ route }) => route },
      { title: 'Status', className: 'number', sort: ({ status }) => status, cell: ({ status }) => status === null ? '' : String(status) },
      { title: 'Duration', className: 'number', sort: ({ durationMs }) => durationMs, cell: ({ durationMs }) => duration(durationMs) },
      { title: 'Where the time went', className: 'wide', cell: timeline },
      ...traceColumns(list)
    ]
  }

  /** Widths are set by script, because the content security policy forbids style attributes. */
  function timeline (request) {
    const parts = partsOf(request)
    const bars = parts.map(({ kind, share }) => {
      const bar = element('span', { className: `part ${kind}` })
      bar.style.width = `${share * 100}%`
      return bar
    })
    const names = { own: 'own code', behind: `behind ${describeBehind(request)}`, gc: 'garbage collection', waiting: 'waiting' }
    const texts = parts.map(({ kind, ms }) => element('span', { className: 'amount' }, element('span', { className: `key ${kind}` }), `${names[kind]} ${duration(ms)}`))
    const bar = element('span', { className: 'timeline', ariaHidden: 'true' }, ...bars)
    return element('div', {}, element('strong', {}, describeSlow(request)), bar, element('span', { className: 'quiet' }, ...texts), ...othersOf(request), ...inOrder(request))
  }

  function othersOf ({ others: list }) {
    if (list.length === 0) return []
    const [longest, shortest] = [list[0], list.at(-1)].map(({ durationMs }) => duration(durationMs))
    return [element('div', { className: 'quiet' }, `${list.length} more at the same time: ${list.length === 1 ? longest : `${shortest} to ${longest}`}`)]
  }

  /** It stays open when the table is drawn again. */
  function inOrder ({ at, route, steps }) {
    if (steps.length < 2) return []
    const items = steps.map(step => element('li', {}, `${duration(step.atMs)}: ${describeStep(step)}, ${duration(step.ms)}`))
    const details = element('details', {}, element('summary', {}, 'In order'), element('ol', { className: 'stack' }, ...items))
    details.dataset.key = `steps ${at} ${route}`
    return [details]
  }

  /** The slow requests of a route, and those that waited behind it. */
  function of (route) {
    return requests.filter(request => request.route === route || request.behind.some(other => other.route === route))
  }

  /** @param {string} key */
  function listOf (key, list, drawAgain) {
    const { table, more } = tables.make(`slow ${key}`, columnsFor(list), foldSimultaneous(list), { pageRows: PAGE_ROWS }, drawAgain)
    return [table, ...more]
  }

  return { refresh: () => problems.load('slow', '/slow-requests', show), of, listOf }
})()
