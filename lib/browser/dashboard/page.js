/* global document, loopscope */
'use strict'

// The page: asks for what there is, and keeps it in view; says why where it cannot.

;(() => {
  const { byId } = loopscope.display
  const { calls, captures, charts, findings, flame, glossary, group, now, problems, range, requests, rules, session, stalls, threads } = loopscope
  const REFRESH_MS = 10_000
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
    byId('facts').textContent = `pid ${pid} · Node ${nodeVersion} · up since ${new Date(startedAt).toLocaleString()} · stalls from ${stallThresholdMs} ms`
  }

  async function refreshStalls () {
    const known = await problems.watch('stalls', () => session.json('/stalls'))
    if (known === undefined) return
    stalls.show(known)
    findings.show()
  }

  /** Each section shows its own as soon as it is there. */
  function refresh () {
    for (const slow of [findings, group, threads]) slow.refresh().catch(askAgain) // nothing waits for them
    return Promise.all([refreshStalls(), calls.refresh(), rules.refresh(), requests.refresh().then(findings.show)])
  }

  function onEvent (name, data) {
    if (name === 'loop') now.onLoop(data)
    else if (name === 'mark') now.onMark(data)
    else if (name === 'stuck') onStuck(data)
    else if (name === 'stall') refreshStalls().catch(askAgain)
  }

  function showPast (answer) {
    for (const { at, maxDelayMs } of answer.series) charts.add('delay', at, maxDelayMs)
    now.onLoop(session.fromLoop(answer))
  }

  /** The answer is another one from the moment on at which the loop is blocked. */
  function onStuck (stuck) {
    if (byId('stuck').hidden) findings.refresh().catch(askAgain)
    now.showStuck(stuck)
  }

  async function begin () {
    const { facts, kinds, door } = await session.json('/')
    showState(null)
    showFacts(facts)
    if (isStarted) return
    isStarted = true
    for (const part of [range, now, flame, group]) part.start(facts)
    const listed = captures.start(kinds.map(({ kind }) => kind))
    // From here on the page is at work: what it shows answers to clicks.
    await session.json('/loop').then(showPast, () => {}) // the stream that follows says what is wrong
    await Promise.all([refresh(), listed])
    setInterval(() => { if (!document.hidden) refresh().catch(askAgain) }, REFRESH_MS)
    await session.follow(door, onEvent)
  }

  /** @param {Error & { status?: number }} error */
  function askAgain (error) {
    const { status, message } = error
    if (isStarted && status !== 401) throw error // of ours: what the server refuses is said where it was asked
    if ([401, 403, 429].includes(status)) return askForToken({ message })
    showState('failed')
    byId('failed-text').textContent = status === 404
      ? 'Nothing answers at this address. In production the page does not exist until a token is set: option token, or LOOPSCOPE_TOKEN.'
      : `The process does not answer: ${message}. It may have ended, or its event loop is blocked and this address is its own.`
  }

  function askForToken (problem) {
    showState('sign-in')
    byId('sign-in-why').textContent = isStarted ? 'The token is not valid any more: the process may have been started anew.' : 'This page needs a token.'
    byId('sign-in-problem').textContent = problem?.message ?? ''
    byId('token').focus()
  }

  byId('sign-in').addEventListener('submit', event => {
    event.preventDefault()
    session.useToken(byId('token').value.trim())
    byId('token').value = ''
    isStarted ? document.location.reload() : begin().catch(askAgain)
  })
  byId('retry').addEventListener('click', () => {
    showState('loading')
    begin().catch(askAgain)
  })

  glossary.start()
  session.open(askForToken)
  begin().catch(askAgain)
})()
