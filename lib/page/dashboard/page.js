/* global document, loopscope */
'use strict'

// The page of a process: loads its data, refreshes it, and shows sign-in and connection problems.

;(() => {
  const { byId } = loopscope.display
  const { calls, captures, findings, flame, glossary, group, inFlight, links, memory, now, problems, range, requests, rules, sectionList, session, stalls, threads, waits } = loopscope
  const REFRESH_MS = 10_000
  const WRONG_TOKEN = 'Wrong token. Without the option token a process makes a new one at each start: use the address in the last lines of its log.'
  const STATES = ['loading', 'sign-in', 'failed']

  let isStarted = false

  /** @param {'loading' | 'sign-in' | 'failed' | null} state  null: the page itself */
  function showState (state) {
    for (const id of STATES) byId(id).hidden = id !== state
    document.querySelector('main').hidden = state !== null
  }

  function showFacts ({ appName, pid, nodeVersion, startedAt, stallThresholdMs }) {
    document.title = `${appName} · loopscope`
    byId('title').textContent = appName
    byId('facts').textContent = `pid ${pid} · Node ${nodeVersion} · running since ${new Date(startedAt).toLocaleString()} · stall threshold ${stallThresholdMs} ms`
  }

  async function refreshStalls () {
    await problems.load('stalls', '/stalls', stalls.show)
    findings.show()
  }

  /** Each section shows its data as soon as that arrives. */
  function refresh () {
    for (const slow of [findings, group, threads, memory, waits]) slow.refresh().catch(onFailure) // not awaited
    return Promise.all([refreshStalls(), calls.refresh(), rules.refresh(), inFlight.refresh(), requests.refresh().then(findings.show)])
  }

  function onEvent (name, data) {
    if (name === 'loop') now.onLoop(data)
    else if (name === 'mark') now.onMark(data)
    else if (name === 'stuck') onStuck(data)
    else if (name === 'stall') refreshStalls().catch(onFailure)
  }

  function showHistory (answer) {
    now.onHistory(answer.series)
    now.onLoop(session.fromLoop(answer))
  }

  /** When the loop becomes blocked the findings change, so they are loaded again. */
  function onStuck (stuck) {
    if (byId('stuck').hidden) for (const affected of [findings, inFlight]) affected.refresh().catch(onFailure)
    now.showStuck(stuck)
  }

  /** Opens what the address names. */
  function openLinked () {
    const { token, stall, at, finding, from, to, route = null } = links.read()
    if (token !== undefined) document.location.reload()
    else if (stall !== undefined) stalls.openLinked(Number(stall), at === undefined ? null : Number(at))
    else if (finding !== undefined) findings.openLinked(finding)
    else if (from !== undefined && to !== undefined) range.openLinked({ fromMs: Number(from), toMs: Number(to), route })
  }

  async function begin () {
    const { facts, kinds, endpoint } = await session.json('/')
    showState(null)
    showFacts(facts)
    if (isStarted) return
    isStarted = true
    for (const part of [range, now, flame, group, memory, waits]) part.start(facts)
    const listed = captures.start(kinds.map(({ kind }) => kind))
    // From here on the page reacts to clicks.
    await session.json('/loop').then(showHistory, () => {}) // the stream below reports problems
    await Promise.all([refresh(), listed])
    openLinked()
    links.follow(openLinked)
    setInterval(() => { if (!document.hidden) refresh().catch(onFailure) }, REFRESH_MS)
    await session.follow(endpoint, onEvent)
  }

  /** @param {Error & { status?: number }} error */
  function onFailure (error) {
    const { status, message } = error
    if (isStarted && status !== 401) throw error // an internal error: sections show what the server refuses
    if ([401, 403, 429].includes(status)) return askForToken({ status, message })
    showState('failed')
    byId('failed-text').textContent = status === 404
      ? 'There is no page at this address. In production the page does not exist until a token is set: option token, or LOOPSCOPE_TOKEN.'
      : `The process does not respond: ${message}. It may have exited, or its event loop is blocked and the application itself serves this address.`
  }

  /** @param {{ status: number, message: string }} problem */
  function askForToken ({ status, message }) {
    showState('sign-in')
    byId('sign-in-why').textContent = isStarted ? 'The token is no longer valid. The process may have been restarted.' : 'This page needs a token.'
    byId('sign-in-problem').textContent = status === 401 ? (session.hasToken() ? WRONG_TOKEN : '') : message
    byId('token').focus()
  }

  byId('sign-in').addEventListener('submit', event => {
    event.preventDefault()
    session.useToken(byId('token').value.trim())
    byId('token').value = ''
    isStarted ? document.location.reload() : begin().catch(onFailure)
  })
  byId('retry').addEventListener('click', () => {
    showState('loading')
    begin().catch(onFailure)
  })

  glossary.start()
  sectionList.start()
  session.open(askForToken)
  begin().catch(onFailure)
})()
