/* global loopscope */
'use strict'

// The section of captures: starts, stops and cancels them, lists their artifacts, and compares two or three heap snapshots of one process (the
// headline and the suspects here, the full report as a file).

loopscope.captures = (() => {
  const { action, byId, dateTime, duration, element, time } = loopscope.display
  const { showBytes } = loopscope.sizes
  const { json, download } = loopscope.session
  const { show } = loopscope.tables
  const { attempt, watch } = loopscope.problems
  const POLL_MS = 1000
  const RUNNING = ['running', 'stopping']
  const REFUSALS = ['ERR_LOOPSCOPE_SNAPSHOT_REFUSED', 'ERR_LOOPSCOPE_SNAPSHOT_COOLDOWN']
  const MAX_SUSPECTS = 3
  const NONE = ''

  const BUTTONS = [
    { text: 'CPU profile of the last 30 s', cost: 'no cost: already recorded', body: { kind: 'cpu', last: 30 } },
    { text: 'CPU profile of the next 10 s', cost: 'no extra cost: the recorder is running', body: { kind: 'cpu', seconds: 10 } },
    { text: 'Heap profile of the next 10 s', cost: 'which stacks allocate memory that stays in use; sampled, with a garbage collection before and after', body: { kind: 'heap-profile', seconds: 10 } },
    { text: 'Heap histogram', cost: 'objects by constructor, without sizes; pauses the process, but for less time than a snapshot', body: { kind: 'heap-histogram' } },
    { text: 'Heap snapshot (pauses the process)', cost: 'the whole heap; takes 0.05 to 0.2 s per MB, and several times the memory of the heap', body: { kind: 'heap-snapshot' } }
  ]

  const choices = ['compare-before', 'compare-between', 'compare-after'].map(byId)
  const processChoice = byId('compare-process')
  /** The snapshots of each process that has two or more, oldest first. @type {Map<string, any[]>} */
  let byProcess = new Map()
  /** The last heap snapshot, if it was refused: its problem says what it would take. @type {string | null} */
  let refused = null
  let timer

  /** @param {string[]} kinds */
  function start (kinds) {
    makeButtons(kinds)
    processChoice.addEventListener('change', offerOfProcess)
    byId('compare-form').addEventListener('submit', event => {
      event.preventDefault()
      attempt('compare', compare)
    })
    byId('compare-report').addEventListener('click', () => attempt('compare', () => download(address('html'), 'heap-comparison.html')))
    return watch('captures', refresh)
  }

  function makeButtons (kinds) {
    byId('capture-buttons').replaceChildren(...BUTTONS.filter(({ body: { kind } }) => kinds.includes(kind)).map(({ text, cost, body }) => {
      const button = element('button', { type: 'button' }, text)
      button.addEventListener('click', () => take(body))
      return element('div', { className: 'tools' }, button, element('span', { className: 'quiet' }, cost))
    }))
  }

  function take (body) {
    return attempt('captures', async () => {
      await json('/captures', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })
      await refresh()
    })
  }

  async function refresh () {
    clearTimeout(timer)
    const [{ captures }, { artifacts }] = await Promise.all([json('/captures'), json('/artifacts')])
    showCaptures(captures)
    showArtifacts(artifacts)
    if (captures.some(({ state }) => RUNNING.includes(state))) timer = setTimeout(() => watch('captures', refresh), POLL_MS)
  }

  function showCaptures (captures) {
    const last = captures.find(({ kind }) => kind === 'heap-snapshot')
    refused = REFUSALS.includes(last?.problem?.code) ? last.id : null
    show('captures', [
      { title: 'Started', sort: ({ startedAt }) => startedAt, cell: ({ startedAt }) => dateTime(startedAt) },
      { title: 'Kind', sort: ({ kind }) => kind, cell: ({ kind }) => kind },
      { title: 'State', sort: ({ state }) => state, cell: stateOf },
      { title: 'Took', className: 'number', sort: ({ startedAt, endedAt }) => (endedAt ?? Date.now()) - startedAt, cell: ({ startedAt, endedAt }) => duration((endedAt ?? Date.now()) - startedAt) },
      { title: '', cell: actionsOf }
    ], captures, { empty: 'No captures since the process started.' })
  }

  function stateOf ({ state, progress, problem, label }) {
    if (state === 'running') return element('span', {}, `${progress?.stage ?? state} `, element('progress', { ariaLabel: label ?? 'capture in progress' }))
    return problem === null ? state : `${state}: ${problem.detail}`
  }

  function actionsOf ({ id, kind, state }) {
    const cell = element('span', { className: 'tools' })
    if (id === refused) cell.append(action('Take it anyway', `force ${id}`, () => take({ kind, force: true })))
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
      { title: 'Created', sort: ({ at }) => at, cell: ({ at }) => dateTime(at) },
      { title: 'Kind', sort: ({ kind }) => kind, cell: ({ kind }) => kind },
      { title: 'File', className: 'place', sort: ({ name }) => name, cell: ({ name }) => name },
      { title: 'Size', className: 'number', sort: ({ bytes }) => bytes, cell: artifact => showBytes(artifact.bytes) },
      {
        title: '',
        cell: ({ name }) => element('span', { className: 'tools' },
          action('Download', `get ${name}`, () => attempt('artifacts', () => download(`/artifacts/${name}`, name))),
          action('Delete', `delete ${name}`, () => end('artifacts', `/artifacts/${name}`)))
      }
    ], artifacts, { empty: 'No artifacts.' })
    offerSnapshots(artifacts)
  }

  /** @param {{ name: string, kind: string, at: number, bytes: number, process: { pid: number, startedAt: number } | null }[]} artifacts  newest first */
  function offerSnapshots (artifacts) {
    const snapshots = artifacts.filter(({ kind, process }) => kind === 'heap-snapshot' && process !== null).sort((a, b) => a.at - b.at)
    const all = new Map(snapshots.map(({ process }) => [nameOf(process), []]))
    for (const snapshot of snapshots) all.get(nameOf(snapshot.process)).push(snapshot)
    byProcess = new Map([...all].filter(([, ofOne]) => ofOne.length > 1))
    byId('compare').hidden = byProcess.size === 0
    choose(processChoice, [...byProcess.keys()].map(name => element('option', { value: name }, name)), [...byProcess.keys()].at(-1))
    offerOfProcess()
  }

  /** Only snapshots of one process can be compared: each process numbers its objects itself. */
  function offerOfProcess () {
    const snapshots = byProcess.get(processChoice.value) ?? []
    for (const [at, choice] of choices.entries()) {
      const optional = choice.id === 'compare-between' ? [element('option', { value: NONE }, 'none')] : []
      const options = snapshots.map(({ name, at: made, bytes: size }) => element('option', { value: name }, `${time(made)} (${showBytes(size)})`))
      choose(choice, [...optional, ...options], [snapshots[0], undefined, snapshots[snapshots.length - 1]][at]?.name)
    }
  }

  function nameOf ({ pid, startedAt }) {
    return `pid ${pid}, started ${time(startedAt)}`
  }

  /** Keeps the current choice if it is still available. */
  function choose (choice, options, otherwise = NONE) {
    const current = choice.value
    choice.replaceChildren(...options)
    choice.value = options.some(({ value }) => value === current) ? current : otherwise
  }

  function address (format) {
    const [before, between, after] = choices.map(({ value }) => value)
    return `/heap/comparison?${new URLSearchParams({ before, ...(between !== NONE && { between }), after, format })}`
  }

  async function compare () {
    byId('compare-result').replaceChildren(element('progress', { ariaLabel: 'comparing' }))
    try {
      const { headline, incomparable, suspects } = await json(address('json'))
      byId('compare-result').replaceChildren(
        element('p', {}, element('strong', {}, headline)),
        ...(incomparable === null ? [] : [element('p', { className: 'quiet' }, `Not compared object by object: ${incomparable}.`)]),
        ...suspects.slice(0, MAX_SUSPECTS).map(describe)
      )
    } catch (error) {
      byId('compare-result').replaceChildren()
      throw error
    }
  }

  function describe ({ name, className, growthBytes, share, confidence, reasons, what = null, patterns, path }) {
    const retainers = path.map(step => step.by === 'entry' ? '[entry]' : step.name).join(' → ')
    const subject = name === className ? name : `${name} (${className})`
    return element('div', {},
      element('p', {}, `${subject}: +${showBytes(growthBytes)}, ${Math.round(share * 100)} % of the growth. Confidence ${confidence}: ${reasons.join('; ')}.`),
      ...(retainers === '' ? [] : [element('p', { className: 'quiet' }, `Retained by ${retainers}`)]),
      ...(what === null ? [] : [element('p', {}, `It is: ${what}.`)]),
      ...patterns.map(text => element('p', { className: 'quiet' }, text)))
  }

  return { start }
})()
