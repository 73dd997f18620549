/* global loopscope */
'use strict'

// Captures: asked for with a button, watched until they end, stopped or cancelled; and the files that came of them.

loopscope.captures = (() => {
  const { action, byId, duration, element, moment } = loopscope.display
  const { showBytes } = loopscope.sizes
  const { json, download } = loopscope.session
  const { show } = loopscope.tables
  const { attempt, watch } = loopscope.problems
  const POLL_MS = 1000
  const RUNNING = ['running', 'stopping']

  const BUTTONS = [
    { text: 'CPU profile of the last 30 s', cost: 'costs nothing: it is recorded already', body: { kind: 'cpu', last: 30 } },
    { text: 'CPU profile of the next 10 s', cost: 'costs nothing', body: { kind: 'cpu', seconds: 10 } },
    { text: 'Heap profile of the next 10 s', cost: 'which stacks allocate what stays alive; sampled, and garbage is collected before and after', body: { kind: 'heap-profile', seconds: 10 } },
    { text: 'Heap histogram', cost: 'objects by constructor, no sizes; pauses the process, for less than a snapshot does', body: { kind: 'heap-histogram' } },
    { text: 'Heap snapshot (pauses the process)', cost: 'everything; 0.05 to 0.2 s for each megabyte, and several times the memory of the heap', body: { kind: 'heap-snapshot' } }
  ]

  let timer

  function makeButtons (kinds) {
    byId('capture-buttons').replaceChildren(...BUTTONS.filter(({ body: { kind } }) => kinds.includes(kind)).map(({ text, cost, body }) => {
      const button = element('button', { type: 'button' }, text)
      button.addEventListener('click', () => attempt('captures', async () => {
        await json('/captures', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })
        await refresh()
      }))
      return element('div', { className: 'tools' }, button, element('span', { className: 'quiet' }, cost))
    }))
  }

  async function refresh () {
    clearTimeout(timer)
    const [{ captures }, { artifacts }] = await Promise.all([json('/captures'), json('/artifacts')])
    showCaptures(captures)
    showArtifacts(artifacts)
    if (captures.some(({ state }) => RUNNING.includes(state))) timer = setTimeout(() => watch('captures', refresh), POLL_MS)
  }

  function showCaptures (captures) {
    show('captures', [
      { title: 'Started', cell: ({ startedAt }) => moment(startedAt) },
      { title: 'Kind', cell: ({ kind }) => kind },
      { title: 'State', cell: stateOf },
      { title: 'Took', className: 'number', cell: ({ startedAt, endedAt }) => duration((endedAt ?? Date.now()) - startedAt) },
      { title: '', cell: actionsOf }
    ], captures, { empty: 'No capture was asked for since the process started.' })
  }

  function stateOf ({ state, progress, problem, label }) {
    if (state === 'running') return element('span', {}, `${progress?.stage ?? state} `, element('progress', { ariaLabel: label ?? 'capture under way' }))
    return problem === null ? state : `${state}: ${problem.detail}`
  }

  function actionsOf ({ id, state }) {
    const cell = element('span', { className: 'tools' })
    if (state !== 'running') return cell
    cell.append(
      action('Stop and keep', `stop ${id}`, () => end('captures', `/captures/${id}?stop=1`)),
      action('Cancel', `cancel ${id}`, () => end('captures', `/captures/${id}`))
    )
    return cell
  }

  function end (slot, path) {
    return attempt(slot, async () => {
      await json(path, { method: 'DELETE' })
      await refresh()
    })
  }

  function showArtifacts (artifacts) {
    show('artifacts', [
      { title: 'Made', cell: ({ at }) => moment(at) },
      { title: 'Kind', cell: ({ kind }) => kind },
      { title: 'File', className: 'place', cell: ({ name }) => name },
      { title: 'Size', className: 'number', cell: artifact => showBytes(artifact.bytes) },
      {
        title: '',
        cell: ({ name }) => element('span', { className: 'tools' },
          action('Download', `get ${name}`, () => attempt('artifacts', () => download(`/artifacts/${name}`, name))),
          action('Delete', `delete ${name}`, () => end('artifacts', `/artifacts/${name}`)))
      }
    ], artifacts, { empty: 'The store is empty.' })
    loopscope.heap.offer(artifacts)
  }

  /** @param {string[]} kinds */
  function start (kinds) {
    makeButtons(kinds)
    loopscope.heap.start()
    return watch('captures', refresh)
  }

  return { start }
})()
