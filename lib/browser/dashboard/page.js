/* global document, loopscope */
'use strict'

// The page: asks for what there is, listens to what happens, and keeps both in view. It goes on when the connection breaks.

;(() => {
  const { byId, culprit, duration, element, place, time } = loopscope.display
  const { showBytes } = loopscope.sizes
  const { session, charts, flame, captures } = loopscope
  const { action, show } = loopscope.tables
  const MIN_RETRY_MS = 1000
  const MAX_RETRY_MS = 15_000
  const SLOW_REFRESH_MS = 10_000
  const DAY_MS = 24 * 60 * 60_000

  let stalls = []
  let totals = null
  let openStall = null
  let isStarted = false

  // --- What happens now

  function showNow ({ maxDelayMs, blockedMs, utilization, memory }) {
    const facts = [
      ['Delay, last second', duration(Math.max(maxDelayMs, blockedMs))],
      ['Utilisation', utilization === null ? '–' : `${(utilization * 100).toFixed(0)} %`],
      ['Stalls', totals === null ? '–' : String(totals.count)],
      ['Memory (RSS)', memory === null ? '–' : showBytes(memory.rssBytes)]
    ]
    byId('now').replaceChildren(...facts.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))))
  }

  function showStuck (stuck) {
    const banner = byId('stuck')
    banner.hidden = stuck === null
    if (stuck === null) return
    const where = [stuck.route && `in ${stuck.route}`, stuck.culprit && culprit(stuck.culprit)].filter(Boolean).join(', ')
    banner.textContent = `The event loop has been blocked for ${duration(stuck.durationMs)}${where === '' ? '' : `: ${where}`}. This page is served by another thread.`
  }

  function showMemory (memory) {
    if (memory === null) return
    show('memory', [
      { title: 'Space', cell: ({ name }) => name },
      { title: 'Used', className: 'number', cell: ({ usedBytes }) => showBytes(usedBytes) },
      { title: 'Reserved', className: 'number', cell: ({ sizeBytes }) => sizeBytes === null ? '' : showBytes(sizeBytes) }
    ], [
      { name: 'heap, all spaces', usedBytes: memory.heapUsedBytes, sizeBytes: memory.heapTotalBytes },
      ...memory.spaces.filter(({ sizeBytes }) => sizeBytes > 0),
      { name: 'external (buffers and native)', usedBytes: memory.externalBytes, sizeBytes: null }
    ], { empty: '' })
    byId('heap-trend').textContent = trendText(memory.trend)
  }

  function trendText (trend) {
    if (!trend) return ''
    if (trend.verdict === 'unknown') return `Heap after full collections: ${trend.points} seen in ${trend.minutes.toFixed(0)} min, too few to say.`
    const slope = `${trend.bytesPerMinute < 0 ? '-' : '+'}${showBytes(Math.abs(trend.bytesPerMinute))} a minute over ${trend.minutes.toFixed(0)} min`
    if (trend.verdict === 'flat') return `Heap after full collections does not grow (${slope}).`
    return `Heap after full collections grows: ${slope}, most in ${trend.spaces[0].name}; at its limit in about ${duration(trend.minutesToLimit * 60_000)}.`
  }

  function onLoop (now) {
    charts.addDelay(now.at, Math.max(now.maxDelayMs, now.blockedMs))
    charts.addUtilization(now.at, now.utilization)
    charts.update()
    showNow(now)
    showMemory(now.memory)
    if (now.blockedMs === 0) showStuck(null)
  }

  // --- Stalls

  function showStalls () {
    byId('stalls-summary').textContent = totals === null || totals.count === 0
      ? ''
      : `${totals.count} since the process started, ${duration(totals.blockedMs)} in all; the last ${stalls.length} are shown.`
    show('stalls', [
      { title: 'Time', cell: stall => action(time(stall.at), `stall ${stall.id}`, () => openOne(stall)) },
      { title: 'Lasted', className: 'number', cell: ({ durationMs }) => duration(durationMs) },
      { title: 'Cause', cell: ({ cause }) => element('span', { className: 'cause' }, cause) },
      { title: 'Route', className: 'place', cell: ({ route }) => route ?? '' },
      { title: 'Culprit', className: 'place', cell: stall => culprit(stall.culprit) }
    ], stalls, { empty: 'None. The loop has been in time since the process started.', isOpen: ({ id }) => id === openStall })
    show('routes', [
      { title: 'Route', className: 'place', cell: ({ route }) => route ?? '(outside requests)' },
      { title: 'Stalls', className: 'number', cell: ({ count }) => String(count) },
      { title: 'Blocked', className: 'number', cell: ({ ms }) => duration(ms) }
    ], totals?.byRoute ?? [], { empty: 'No route has blocked the loop.' })
  }

  function openOne (stall) {
    openStall = stall.id
    showStalls()
    return captures.attempt(async () => {
      const graph = await session.json(`/stalls/${stall.id}/cpu?format=graph`).catch(error => {
        if (error.status === 404) return null
        throw error
      })
      flame.show(`Stall of ${time(stall.at)}: ${duration(stall.durationMs)}${stall.route ? ` in ${stall.route}` : ''}`, graph, stall.stack)
    })
  }

  // --- Synchronous calls

  function showSyncCalls ({ sampled, exact }) {
    const exactKeys = new Set((exact ?? []).map(keyOf))
    const rows = [
      ...(exact ?? []).map(call => ({ ...call, ms: call.totalMs, source: callsOf(call) })),
      ...sampled.filter(call => !exactKeys.has(keyOf(call))).map(call => ({ ...call, source: `sampled, ${(call.share * 100).toFixed(1)} % of the time at work` }))
    ].filter(({ ms, flagged }) => flagged || ms >= 1).sort((a, b) => b.flagged - a.flagged || b.ms - a.ms)
    show('sync', [
      { title: 'Call', cell: ({ api, flagged }) => flagged ? element('strong', {}, `${api} ⚑`) : api },
      { title: 'Where', className: 'place', cell: ({ callSite }) => place(callSite) },
      { title: 'Routes', className: 'place', cell: ({ routes }) => routes.map(({ route }) => route ?? '(outside requests)').join(', ') },
      { title: 'Time', className: 'number', cell: ({ ms }) => duration(ms) },
      { title: 'Seen as', cell: ({ source }) => source },
      { title: 'Instead', className: 'place', cell: ({ advice }) => advice.instead }
    ], rows, { empty: 'No synchronous call has taken a millisecond.' })
  }

  function callsOf ({ calls, standardError }) {
    const error = standardError.calls === 0 ? '' : ` ± ${standardError.calls.toLocaleString()}`
    return `${calls.toLocaleString()}${error} calls`
  }

  function keyOf ({ api, callSite }) {
    return `${api} ${callSite.file}`
  }

  // --- A stretch of time

  function setRange (fromMs, toMs) {
    byId('from').value = time(fromMs)
    // Whole seconds: rounded down, a process that has just started would seem to have no past.
    byId('to').value = time(Math.ceil(Math.max(toMs, fromMs + 1000) / 1000) * 1000)
  }

  /** @param {string} text  `12:03:10`, today, or yesterday when that is still ahead */
  function toEpochMs (text) {
    const [hours, minutes, seconds = 0] = text.split(':').map(Number)
    const at = new Date().setHours(hours, minutes, seconds, 0)
    return at > Date.now() + 60_000 ? at - DAY_MS : at
  }

  function onRange (event) {
    event.preventDefault()
    const from = toEpochMs(byId('from').value)
    const to = toEpochMs(byId('to').value)
    captures.attempt(async () => {
      if (!(from < to)) throw new Error('The time to must be after the time from.')
      if (event.submitter?.value === 'download') return session.download(`/cpu?from=${from}&to=${to}&format=${byId('range-format').value}`, 'profile')
      const graph = await session.json(`/cpu?from=${from}&to=${to}&format=graph`)
      flame.show(`${time(graph.fromMs)} to ${time(graph.toMs)}`, graph)
    })
  }

  // --- Life

  async function refresh () {
    const [known, calls] = await Promise.all([session.json('/stalls'), session.json('/sync-calls')])
    ;({ stalls, totals } = known)
    showStalls()
    showSyncCalls(calls)
  }

  function onEvent (name, data) {
    byId('connection').textContent = ''
    if (name === 'loop') onLoop(data)
    else if (name === 'stuck') showStuck(data)
    else if (name === 'stall') captures.attempt(refresh)
  }

  async function follow () {
    for (let waitMs = MIN_RETRY_MS; ; waitMs = Math.min(waitMs * 2, MAX_RETRY_MS)) {
      try {
        await session.listen('/live', (name, data) => {
          waitMs = MIN_RETRY_MS
          onEvent(name, data)
        })
      } catch (error) {
        if (error.status === 401) return
      }
      byId('connection').textContent = 'Not connected; trying again.'
      await new Promise(resolve => setTimeout(resolve, waitMs))
      await poll()
    }
  }

  /** While no stream can be had, a look now and then. */
  async function poll () {
    try {
      const { series, delay, memory, blockedMs } = await session.json('/loop')
      const { at = Date.now(), maxDelayMs = 0 } = series.at(-1) ?? {}
      onLoop({ at, maxDelayMs, blockedMs, utilization: delay?.utilization ?? null, memory })
    } catch {} // said already
  }

  async function begin () {
    const { facts, kinds } = await session.json('/')
    byId('sign-in').hidden = true
    document.querySelector('main').hidden = false
    document.title = `${facts.appName} · loopscope`
    byId('title').textContent = facts.appName
    byId('facts').textContent = `pid ${facts.pid} · Node ${facts.nodeVersion} · up since ${new Date(facts.startedAt).toLocaleString()} · stalls from ${facts.stallThresholdMs} ms`
    byId('keep').textContent = duration(facts.keepSeconds * 1000)
    if (isStarted) return
    isStarted = true
    charts.start(setRange)
    flame.start()
    byId('range').addEventListener('submit', onRange)
    const now = Date.now()
    setRange(Math.max(now - 15_000, new Date(facts.startedAt).getTime()), now)
    const listed = captures.start(kinds.map(({ kind }) => kind), text => { byId('problem').textContent = text })
    // From here on the page is at work: what it shows answers to clicks.
    const { series, delay, memory } = await session.json('/loop')
    for (const { at, maxDelayMs } of series) charts.addDelay(at, maxDelayMs)
    onLoop({ at: now, maxDelayMs: series.at(-1)?.maxDelayMs ?? 0, blockedMs: 0, utilization: delay?.utilization ?? null, memory })
    await Promise.all([captures.attempt(refresh), listed])
    setInterval(() => { if (!document.hidden) captures.attempt(refresh) }, SLOW_REFRESH_MS)
    follow()
  }

  function askForToken (problem) {
    byId('sign-in').hidden = false
    document.querySelector('main').hidden = true
    byId('sign-in-problem').textContent = problem?.message ?? ''
    byId('token').focus()
  }

  byId('sign-in').addEventListener('submit', event => {
    event.preventDefault()
    session.useToken(byId('token').value.trim())
    byId('token').value = ''
    begin().catch(askForToken)
  })

  session.open(askForToken)
  begin().catch(askForToken)
})()
