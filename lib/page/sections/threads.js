/* global loopscope */
'use strict'

// The section of worker threads: how busy each is, or only their CPU time if they are not profiled. Hidden if there are none.

loopscope.threads = (() => {
  const { byId, duration, element, percent, place } = loopscope.display
  const { problems, tables } = loopscope
  const NOTABLE_MS = 1000
  const PAGE_ROWS = 10

  function show ({ off, unwatched, threads, stalls, load }) {
    const isThere = threads.length > 0 || unwatched > 0 || (load?.workerMs ?? 0) >= NOTABLE_MS
    byId('threads-section').hidden = !isThere
    if (!isThere) return
    byId('threads-load').textContent = load === null ? '' : `Worker threads used ${percent(load.workerMs / load.ms)} of a CPU in the last ${duration(load.ms)}.`
    byId('threads-note').textContent = noteOf(off, unwatched)
    if (off !== null) return byId('threads').replaceChildren()
    tables.show('threads', [
      { title: 'Thread', cell: ({ name }) => name },
      { title: 'Busy', className: 'number', sort: ({ busyMs, observedMs }) => busyMs / observedMs, cell: ({ busyMs, observedMs }) => observedMs === 0 ? '' : percent(busyMs / observedMs) },
      { title: 'Longest busy period', className: 'number', cell: ({ longestMs }) => longestMs === 0 ? '' : duration(longestMs) },
      { title: 'Stalls', className: 'number', cell: ({ stalls }) => String(stalls) },
      { title: 'Mostly in', className: 'place', cell: ({ top, problem }) => problem === null ? placeOf(top) : `not watched: ${problem}` }
    ], threads, { empty: 'No worker thread is watched yet.', pageRows: PAGE_ROWS })
    byId('thread-stalls-title').hidden = stalls.length === 0
    if (stalls.length === 0) return byId('thread-stalls').replaceChildren()
    tables.show('thread-stalls', [
      { title: 'Started', cell: ({ at }) => new Date(at).toLocaleTimeString() },
      { title: 'Duration', className: 'number', cell: ({ durationMs }) => duration(durationMs) },
      { title: 'Cause', cell: ({ cause }) => cause },
      { title: 'Thread', cell: ({ thread }) => thread.name },
      { title: 'Culprit', className: 'place', cell: ({ culprit }) => placeOf(culprit) }
    ], stalls, { empty: '', pageRows: PAGE_ROWS })
  }

  function noteOf (off, unwatched) {
    if (off !== null) return `Worker threads are not watched: ${off}.`
    return unwatched === 0 ? '' : `${unwatched} more ${unwatched === 1 ? 'is' : 'are'} not watched.`
  }

  function placeOf (frame) {
    return frame === null ? '' : element('span', { className: 'own' }, place(frame))
  }

  return { refresh: () => problems.load('threads', '/threads', show) }
})()
