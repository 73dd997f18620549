/* global loopscope */
'use strict'

// What is wrong, worst first, at the top of the page: each with what to change, what it rests on, its flame graph, stalls and requests.
// The first one is open; the others open when they are asked for.

loopscope.findings = (() => {
  const { byId, duration, element, moment, place, redraw } = loopscope.display
  const { inWords } = loopscope.evidence
  const { calledBy, stallsOf } = loopscope.figures
  const { flame, problems, requests, session, stalls } = loopscope
  const LABELS = { critical: 'Critical', warning: 'Warning', info: 'Note', none: 'All well' }
  const LOOK_BACK_MS = 60_000

  let answer = null
  /** What the reader has opened or closed. */
  const chosen = new Map()

  function show () {
    if (answer === null) return
    const { findings, observed, observedSeconds, at, isStale } = answer
    redraw(byId('findings'), ...findings.map((finding, index) => element('li', {}, detailsOf(finding, index === 0))))
    const stale = isStale ? ' The main thread did not answer: some figures are missing, or of before.' : ''
    byId('findings-observed').textContent = `Of ${duration(observedSeconds * 1000)} of work, ${moment(observed.from)} to ${moment(observed.to)}, asked at ${moment(at)}.${stale}`
  }

  function detailsOf (finding, isFirst) {
    const { id, title, severity, over, where } = finding
    const key = `${id} ${over?.from ?? ''} ${place(where)} ${where?.route ?? ''}`
    const label = over ? `Over, ${moment(over.from)} to ${moment(over.to)}` : id === 'too-little-seen' ? 'Wait' : LABELS[severity]
    const summary = element('summary', {}, element('span', { className: `cause ${severity}` }, label), ` ${title}`)
    const details = element('details', { open: chosen.get(key) ?? isFirst, className: `finding ${severity}` }, summary, factsOf(finding), ...proofOf(finding, key))
    summary.dataset.key = key
    summary.addEventListener('click', () => chosen.set(key, !details.open))
    return details
  }

  function factsOf ({ severity, where, what, why, instead, evidence: { documentation, ...figures }, confidence, next, lostMs, since }) {
    const facts = [
      ['Fix', severity === 'none' ? '' : instead, 'instead'],
      ['Where', [place(where), where?.via && `in ${calledBy({ call: null, via: where.via })}`, where?.route].filter(Boolean).join(', '), 'own'],
      ['What', what],
      ['Why', why],
      ['Lost', lostMs > 0 ? `${duration(lostMs)}${since === null ? '' : `, since ${moment(since)}`}` : ''],
      ['Evidence', inWords(figures, { duration, bytes: loopscope.sizes.showBytes }).map(({ name, text }) => `${name} ${text}`).join(' · ')],
      ['Confidence', confidence]
    ].filter(([, text]) => text !== '')
    const rows = facts.flatMap(([name, text, className = '']) => [element('dt', {}, name), element('dd', { className }, text)])
    const commands = next.length === 0 ? [] : [element('dt', {}, 'Next'), element('dd', {}, ...next.map(command => element('code', {}, command)))]
    const link = documentation === undefined ? [] : [element('dt', {}, 'More'), element('dd', {}, element('a', { href: documentation, rel: 'noreferrer', target: '_blank' }, documentation))]
    return element('dl', {}, ...rows, ...commands, ...link)
  }

  /** What it rests on, to look at. */
  function proofOf (finding, key) {
    const { where } = finding
    const route = where?.route ?? null
    const its = stallsOf(finding, stalls.list())
    const longest = its.reduce((most, stall) => most === null || stall.durationMs > most.durationMs ? stall : most, null)
    const slow = route === null ? [] : requests.of(route)
    return [
      ...(finding.id === 'too-little-seen' ? [] : [element('div', { className: 'tools' }, graphButton(key, route, finding))]),
      ...stalls.stackOf(key, longest?.stack),
      ...foldedOf(`stalls ${key}`, its, `${its.length} recorded ${its.length === 1 ? 'stall' : 'stalls'}`, () => stalls.listOf(key, its, 'findings', show)),
      ...foldedOf(`requests ${key}`, slow, `${slow.length} slow ${slow.length === 1 ? 'request' : 'requests'} it caused or delayed`, () => requests.listOf(key, slow, show))
    ]
  }

  function foldedOf (key, list, title, make) {
    if (list.length === 0) return []
    const details = element('details', {}, element('summary', {}, title), element('div', { className: 'scroll' }, ...make()))
    details.dataset.key = key
    return [details]
  }

  function graphButton (key, route, finding) {
    const button = element('button', { type: 'button' }, route === null ? 'Flame graph of this time' : `Flame graph of ${route}`)
    button.dataset.key = `graph ${key}`
    const toMs = finding.over?.to ?? answer.at
    button.addEventListener('click', () => flame.openRange(button, 'findings', { fromMs: toMs - LOOK_BACK_MS, toMs, route }))
    return button
  }

  /** It takes a second or two, and another scope than the rest of the page. */
  async function refresh () {
    const found = await problems.watch('findings', () => session.json('/findings'))
    if (found === undefined) {
      if (answer === null) byId('findings-observed').textContent = ''
      return
    }
    answer = found
    show()
  }

  return { refresh, show }
})()
