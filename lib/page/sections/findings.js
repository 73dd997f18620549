/* global loopscope */
'use strict'

// The section of findings at the top of the page, worst first: each with its fix, evidence, flame graph, stalls and requests. The first one is
// open.

loopscope.findings = (() => {
  const { byId, dateTime, duration, element, place, redraw } = loopscope.display
  const { formatEvidence, predictionText } = loopscope.findingDetails
  const { calledBy, stallsOf } = loopscope.figures
  const { flame, links, problems, requests, session, stalls } = loopscope
  const LABELS = { critical: 'Critical', warning: 'Warning', info: 'Note', none: 'OK' }
  const LOOK_BACK_MS = 60_000

  let answer = null
  /** Which findings the reader has opened or closed. */
  const chosen = new Map()
  /** The key in a link, until its finding is shown. @type {string | null} */
  let linked = null

  function show () {
    if (answer === null) return
    const { findings, observed, observedSeconds, at, isStale } = answer
    redraw(byId('findings'), ...findings.map((finding, index) => element('li', {}, detailsOf(finding, index === 0))))
    const stale = isStale ? ' The main thread did not respond: some figures are missing or outdated.' : ''
    byId('findings-observed').textContent = `Observed for ${duration(observedSeconds * 1000)}, ${dateTime(observed.from)} to ${dateTime(observed.to)}. Updated at ${dateTime(at)}.${stale}`
  }

  function detailsOf (finding, isFirst) {
    const { id, title, severity, over } = finding
    const key = keyOf(finding)
    const label = over ? `Earlier, ${dateTime(over.from)} to ${dateTime(over.to)}` : id === 'too-little-seen' ? 'Too little data' : LABELS[severity]
    const summary = element('summary', {}, element('span', { className: `cause ${severity}` }, label), ` ${title}`)
    const details = element('details', { open: chosen.get(key) ?? isFirst, className: `finding ${severity}` }, summary, factsOf(finding), ...supportOf(finding, key))
    summary.dataset.key = key
    summary.addEventListener('click', () => chosen.set(key, !details.open))
    return details
  }

  function keyOf ({ id, over, where }) {
    return `${id} ${over?.from ?? ''} ${place(where)} ${where?.route ?? ''}`
  }

  /** @param {string} key  of a link; the line may have moved since, so that any finding of its kind will do */
  function openLinked (key) {
    linked = key
    if (answer !== null) showLinked()
  }

  function showLinked () {
    const [id] = linked.split(' ')
    const found = answer.findings.find(finding => keyOf(finding) === linked) ?? answer.findings.find(finding => finding.id === id)
    linked = null
    if (found === undefined) return problems.show('findings', `The finding ${id} is not present now. It may have been fixed, or not have been seen again in the last minute.`)
    chosen.set(keyOf(found), true)
    show()
    const summary = [...byId('findings').querySelectorAll('summary')].find(({ dataset }) => dataset.key === keyOf(found))
    summary.scrollIntoView()
    summary.focus({ preventScroll: true })
  }

  function factsOf ({ where, what, why, instead, evidence: { documentation, ...figures }, confidence, next, lostMs, since, prediction, again }) {
    const facts = [
      ['Fix', instead, 'instead'],
      ['Where', [place(where), where?.via && `in ${calledBy({ call: null, via: where.via })}`, where?.route].filter(Boolean).join(', '), 'own'],
      ['Again', again ? `It was there before "${again.mark}" (${dateTime(again.markedAt)}), and is again since ${dateTime(again.firstAfter)}` : ''],
      ['Effect', predictionText(prediction)],
      ['What', what],
      ['Why', why],
      ['Lost time', lostMs > 0 ? `${duration(lostMs)}${since === null ? '' : `, since ${dateTime(since)}`}` : ''],
      ['Evidence', formatEvidence(figures, { duration, bytes: loopscope.sizes.showBytes }).map(({ name, text }) => `${name} ${text}`).join(' · ')],
      ['Confidence', confidence]
    ].filter(([, text]) => text !== '')
    const rows = facts.flatMap(([name, text, className = '']) => [element('dt', {}, name), element('dd', { className }, text)])
    const commands = next.length === 0 ? [] : [element('dt', {}, 'Next'), element('dd', {}, ...next.map(command => element('code', {}, command)))]
    const link = documentation === undefined ? [] : [element('dt', {}, 'More'), element('dd', {}, element('a', { href: documentation, rel: 'noreferrer', target: '_blank' }, documentation))]
    return element('dl', {}, ...rows, ...commands, ...link)
  }

  /** The flame graph, stack, stalls and requests that support the finding. */
  function supportOf (finding, key) {
    const { where } = finding
    const route = where?.route ?? null
    const related = stallsOf(finding, stalls.list())
    const longest = related.reduce((most, stall) => most === null || stall.durationMs > most.durationMs ? stall : most, null)
    const slow = route === null ? [] : requests.of(route)
    return [
      ...(finding.id === 'too-little-seen' ? [] : [element('div', { className: 'tools' }, graphButton(key, route, finding), links.button(key, () => ({ finding: key })))]),
      ...stalls.stackOf(key, longest?.stack),
      ...foldedOf(`stalls ${key}`, related, `${related.length} recorded ${related.length === 1 ? 'stall' : 'stalls'}`, () => stalls.listOf(key, related, 'findings', show)),
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
    const button = element('button', { type: 'button' }, route === null ? 'Flame graph of this time range' : `Flame graph of ${route}`)
    button.dataset.key = `graph ${key}`
    const toMs = finding.over?.to ?? answer.at
    button.addEventListener('click', () => flame.openRange(button, 'findings', { fromMs: toMs - LOOK_BACK_MS, toMs, route }))
    return button
  }

  /** Takes a second or two, and needs another token scope than the rest of the page. */
  async function refresh () {
    const found = await problems.watch('findings', () => session.json('/findings'))
    if (found === undefined) {
      if (answer === null) byId('findings-observed').textContent = ''
      return
    }
    answer = found
    show()
    if (linked !== null) showLinked()
  }

  return { openLinked, refresh, show }
})()
