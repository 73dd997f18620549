'use strict'

// Results of benchmarks as `loopscope bench` writes them, made up.

const { toBench } = require('../../lib/cli/bench/result-file')

const AT = Date.UTC(2026, 10, 21, 14, 41, 39)

const finding = (id, name, more = {}) => ({
  id,
  title: `${id} in ${name}`,
  severity: 'critical',
  instead: 'something else',
  where: { function: name, file: 'app.js', line: 8, column: 3, via: null, route: 'GET /login' },
  ...more
})

/** A profile of one second in which the functions took so many milliseconds. */
function profileOf (times) {
  const frame = (functionName, url) => ({ functionName, scriptId: '1', url, lineNumber: 7, columnNumber: 2 })
  const names = Object.keys(times)
  const samples = names.flatMap((name, index) => Array.from({ length: times[name] }, () => index + 2))
  return {
    startTime: 0,
    endTime: samples.length * 1e3,
    nodes: [
      { id: 1, callFrame: frame('(root)', ''), hitCount: 0, children: names.map((_, index) => index + 2) },
      ...names.map((name, index) => ({ id: index + 2, callFrame: frame(name, name.startsWith('(') ? '' : 'file:///app/app.js'), hitCount: times[name] }))
    ],
    samples,
    timeDeltas: samples.map(() => 1e3)
  }
}

function round ({ perSecond, findings = [], answered = perSecond * 10, statusCodes = { 200: answered }, ...more }) {
  const ms = 1e3 / perSecond
  return {
    from: AT,
    to: AT + 10_000,
    pid: 4711,
    answered,
    perSecond,
    errors: 0,
    timeouts: 0,
    non2xx: 0,
    statusCodes,
    latencyMs: { mean: ms, p50: ms, p90: ms * 2, p97_5: ms * 3, p99: ms * 4, max: ms * 5 },
    delayMs: { p50: 1, p99: ms, max: ms * 2 },
    stalls: { count: 0, blockedMs: 0, byCause: [], byCulprit: [] },
    findings,
    utilization: 0.9,
    cpuMsPerRequest: ms,
    ...more
  }
}

function bench ({ rates = [100, 110, 120], profile = null, rounds = rates.map(perSecond => round({ perSecond })), ...more } = {}) {
  return toBench({
    at: AT,
    command: ['node', 'app.js'],
    request: { url: 'http://127.0.0.1:3000/login', method: 'GET', headers: [] },
    load: { tool: 'autocannon 9.0.0', connections: 20, seconds: 10, warmUpSeconds: 3 },
    application: { name: 'shop', root: '/app', nodeVersion: '24.1.0' },
    machine: { platform: 'Linux 6', cpus: 4, model: 'a processor', memoryBytes: 8e9 },
    processors: { pinning: { application: '0,1,2', load: '3' }, reason: null, applicationCount: 3 },
    rounds,
    profile: profile === null ? null : { round: 1, startedAt: AT, answered: 1000, profile },
    ...more
  })
}

module.exports = { bench, finding, profileOf, round }
