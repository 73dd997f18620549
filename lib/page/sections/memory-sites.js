/* global loopscope */
'use strict'

// The part of the memory section that shows which lines allocate what stays: as found last, because something grew, or sampled on request.

loopscope.memorySites = (() => {
  const { byId, element, place, time } = loopscope.display
  const { showBytes } = loopscope.sizes
  const { problems, session, tables } = loopscope
  const SECONDS = 60
  const PAGE_ROWS = 10
  const AGES = {
    stays: 'stays: a part of every interval is alive',
    temporary: 'temporary: only what is new is alive',
    once: 'once: allocated at the beginning',
    young: 'too short to tell'
  }
  /** When the answer that is shown was sampled. */
  let shownAt = null
  let isSampling = false

  function show (answer) {
    shownAt = answer.toMs
    tables.show('sites', [
      { title: 'Allocated in', className: 'place', cell: whereOf },
      { title: 'Route', className: 'place', cell: ({ route }) => route ?? '' },
      { title: 'What', cell: ({ kind, holder, thread }) => [kind === 'heap' ? 'objects' : 'Buffers', holder === null ? '' : `(${holder})`, thread === null ? '' : `in ${thread}`].filter(Boolean).join(' ') },
      { title: 'Keeps', className: 'number', sort: ({ bytes }) => bytes, cell: ({ bytes }) => showBytes(bytes) },
      { title: 'Grows by', className: 'number', sort: ({ bytesPerMinute }) => bytesPerMinute, cell: ({ verdict, bytesPerMinute }) => verdict === 'stays' ? `${showBytes(bytesPerMinute)}/min` : '' },
      { title: 'A request', className: 'number', cell: ({ bytesPerRequest }) => bytesPerRequest === null ? '' : showBytes(bytesPerRequest) },
      { title: 'Age', cell: ({ verdict }) => AGES[verdict] }
    ], answer.sites, { empty: 'Nothing that was allocated in that time is alive.', pageRows: PAGE_ROWS })
    byId('sites-note').textContent = [
      `What was allocated in ${Math.round((answer.toMs - answer.fromMs) / 1000)} s and is alive, sampled until ${time(answer.toMs)}${answer.reason === 'growth' ? ', because memory grew' : ''}.`,
      ...answer.notes.map(note => `${note}.`)
    ].join(' ')
  }

  function whereOf (site) {
    const { keptAt, caller, through } = site
    return element('span', { className: 'own' }, [
      place(site),
      ...keptAt === null ? [] : [`${keptAt.isGuess ? 'perhaps' : 'probably'} kept at ${keptAt.file}:${keptAt.line}`],
      ...caller === null ? [] : [`called from ${place(caller)}`],
      ...through === null ? [] : [`through ${through}`]
    ].join(', '))
  }

  async function sample () {
    const button = byId('sites-sample')
    isSampling = button.disabled = true
    byId('sites-note').textContent = `Sampling allocations for ${SECONDS} seconds.`
    const answer = await problems.attempt('sites', () => session.json(`/memory/sites?seconds=${SECONDS}`))
    isSampling = button.disabled = false
    if (answer !== undefined) show(answer)
    else byId('sites-note').textContent = ''
  }

  /** @param {number | null} sampledAt  when allocations were last sampled */
  async function refresh (sampledAt) {
    if (isSampling || sampledAt === null || sampledAt === shownAt) return
    await problems.load('sites', '/memory/sites', answer => { if (!isSampling) show(answer) })
  }

  function start () {
    byId('sites-sample').addEventListener('click', () => { sample() })
  }

  return { refresh, start }
})()
