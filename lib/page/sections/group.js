/* global loopscope, performance */
'use strict'

// The section of the processes of a group. Their findings cost them more than their figures, so they are loaded once a minute.

loopscope.group = (() => {
  const { byId, dateTime, duration, element } = loopscope.display
  const { showBytes } = loopscope.sizes
  const { problems, session, tables } = loopscope
  const FINDINGS_MS = 60_000
  const PAGE_ROWS = 20

  let ownPid = null
  let findings = []
  let findingsDueMs = 0

  const COLUMNS = [
    { title: 'Process', sort: ({ pid }) => pid, cell: nameOf },
    { title: 'Running since', sort: ({ startedAt }) => startedAt, cell: ({ startedAt }) => dateTime(startedAt) },
    { title: 'Utilization', className: 'number', sort: ({ delay }) => delay?.utilization, cell: ({ delay }) => delay === null ? '' : `${Math.round(delay.utilization * 100)} %` },
    { title: 'Delay p99', className: 'number', sort: ({ delay }) => delay?.p99Ms, cell: ({ delay }) => delay === null ? '' : duration(delay.p99Ms) },
    { title: 'RSS', className: 'number', sort: ({ rssBytes }) => rssBytes, cell: ({ rssBytes }) => rssBytes === null ? '' : showBytes(rssBytes) },
    { title: 'Stalls', className: 'number', sort: ({ stalledMs }) => stalledMs, cell: ({ stalls, stalledMs }) => stalls === null ? '' : `${stalls} (${duration(stalledMs)})` },
    { title: 'State', cell: stateOf },
    { title: 'Top finding', className: 'place', cell: ({ pid }) => findings.find(({ workers, severity }) => severity !== 'none' && workers.pids.includes(pid))?.title ?? '' }
  ]

  function nameOf ({ pid, instance }) {
    const name = `${pid}${instance === null ? '' : `, worker ${instance}`}`
    return pid === ownPid ? element('strong', {}, `${name} (this page)`) : name
  }

  function stateOf ({ problem, blockedMs }) {
    if (problem !== null) return element('span', { className: 'alarm' }, problem)
    return blockedMs > 0 ? element('span', { className: 'alarm' }, `BLOCKED for ${duration(blockedMs)}`) : 'OK'
  }

  function show ({ group, members, processes }) {
    byId('group-section').hidden = members.length < 2
    byId('group-summary').textContent = `Group ${group}: ${loopscope.groupProcesses.describeCoverage(processes)}.`
    tables.show('group', COLUMNS, members.map((member, index) => ({ ...member, problem: processes[index].problem })), { empty: '', pageRows: PAGE_ROWS })
    return members.length
  }

  async function refresh () {
    if (ownPid === null) return
    const overview = await problems.watch('group', () => session.json('/group'))
    if (overview === undefined || show(overview) < 2 || performance.now() < findingsDueMs) return
    findingsDueMs = performance.now() + FINDINGS_MS
    const answer = await problems.watch('group', () => session.json('/group/findings'))
    if (answer === undefined) return
    findings = answer.findings
    show(overview)
  }

  /** A process without a control socket is not in a group. */
  function start ({ isInGroup = false, pid }) {
    if (isInGroup) ownPid = pid
  }

  return { start, refresh }
})()
