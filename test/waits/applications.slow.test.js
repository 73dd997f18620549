'use strict'

// Whole processes that wait, as their authors wrote them: the first finding names the line and what is awaited, and of healthy ones nothing is said.

const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const test = require('node:test')
const assert = require('node:assert/strict')
const { setTimeout: sleep } = require('node:timers/promises')
const { getControl } = require('../admin/running')
const { start } = require('../process/child')
const { HEALTHY, SLOW } = require('./applications')
const { pathOf, skipWithout, startClosingServer, startMariadb, startNameServer, startPostgres, startProxy, startRedis, startSlowFile } = require('./servers')
const { startUpstream } = require('./upstream')
const { makeScratch, makeShortScratch } = require('../store/scratch')

const ROOT = path.join(__dirname, '..', '..')
const APPS = path.join(__dirname, 'apps')
const LISTEN = path.join(APPS, 'listen.js')
const AT_ONCE = 3
const LIMIT_MS = 40_000
const HEALTHY_MS = 10_000
const BETWEEN_MS = 1000
const PATHS = { kysely: '/orders/7', 'mysql-pool': '/users/7', backoff: '/stock', callbacks: '/prices', piscina: '/image', 'p-limit': '/order' }

const SERVERS = {
  postgres: { programs: ['postgres', 'initdb'], debian: 'postgresql', start: startPostgres },
  mariadb: { programs: ['mariadbd', 'mariadb-install-db'], debian: 'mariadb-server', start: startMariadb },
  redis: { programs: ['redis-server'], debian: 'redis-server', start: startRedis }
}

test('the first finding about an application that waits', { concurrency: AT_ONCE }, async t => {
  const env = await startServers(t)
  await Promise.all([
    ...SLOW.map(row => t.test(`${row.app}: ${row.first}, with its line`, { skip: skipOf(row) }, t => findSlow(t, row, env))),
    ...HEALTHY.map(row => t.test(`${row.app}: nothing is wrong`, { skip: skipOf(row) }, t => findNothing(t, row, env)))
  ])
})

async function findSlow (t, { app, first: id, beside, text, not, hasLine, load }, env) {
  const { findings, read } = await startLoaded(t, app, load, [PATHS[app] ?? '/'], env)
  const lines = fs.readFileSync(path.join(APPS, `${app}.js`), 'utf8').split('\n')
  const line = lines.findIndex(text => text.includes('// the wait')) + 1
  const problemOf = answer => {
    const [found] = meant(answer).filter(finding => finding.id !== beside)
    const said = `${found?.title} ${found?.what} ${found?.instead}`
    if (found?.id !== id) return `the first is ${found?.id}`
    if (!text.test(said) || not?.test(said)) return `its text is ${said}`
    const place = found.where === null ? null : `${path.basename(found.where.file)}:${found.where.line}`
    return hasLine && place !== `${app}.js:${line}` ? `it is at ${place}, not at line ${line}` : null
  }
  // The first requests, the first connections and a busy machine look different.
  for (const endMs = performance.now() + LIMIT_MS; ;) {
    await sleep(BETWEEN_MS)
    const answer = await findings()
    const problem = problemOf(answer)
    // express is installed above these applications.
    assert.doesNotMatch(JSON.stringify(answer) + await read('/waits'), /"\/[^"]*node_modules/)
    if (problem === null) return
    if (performance.now() < endMs) continue
    if (answer.findings.some(({ id }) => id === 'starved')) return t.skip('others keep this machine busy')
    assert.fail(`${problem}: ${JSON.stringify(answer, null, 1)}`)
  }
}

async function findNothing (t, { app, paths, load }, env) {
  const { findings } = await startLoaded(t, app, load, paths, env)
  for (const endMs = performance.now() + HEALTHY_MS; performance.now() < endMs;) {
    await sleep(3 * BETWEEN_MS)
    const answer = await findings()
    const wrong = meant(answer).filter(({ id, severity }) => severity !== 'info' && !['nothing-wrong', 'too-little-seen'].includes(id))
    assert.deepEqual(wrong, [], JSON.stringify(answer, null, 1))
  }
}

/** On a machine that others keep busy a process is starved, or starts slowly: that is true, and not what is asked here. */
function meant ({ findings }) {
  return findings.filter(({ id }) => !['starved', 'start-up', 'unexplained-stalls', 'suspended'].includes(id))
}

async function startLoaded (t, app, load, paths, env) {
  const folder = makeShortScratch(t)
  const isOwn = fs.readFileSync(path.join(APPS, `${app}.js`), 'utf8').includes('diagnostics()')
  const preload = isOwn ? [] : ['--require', path.join(ROOT, 'register.js')]
  const running = start(t, [...preload, LISTEN, `${app}.js`], { env: { TMPDIR: folder, UV_THREADPOOL_SIZE: '16', ...env, ...(app === 'healthy-mixed' && { REDIS_PORT: env.QUICK_REDIS_PORT }) } })
  const { port } = await running.until(/^listening$/)
  const stop = new AbortController()
  t.after(() => stop.abort())
  for (const target of paths) putLoad(port, target, load, stop.signal)
  const socketPath = path.join(folder, `loopscope-${process.geteuid()}`, 'control', `${running.child.pid}.sock`)
  while (!fs.existsSync(socketPath)) await sleep(50)
  const read = async target => {
    const { status, text } = await getControl(socketPath, target)
    if (status !== 200) throw new Error(`${app}: ${status} ${text}`)
    return text
  }
  return { read, findings: async () => JSON.parse(await read('/findings')) }
}

/** Connections that ask one after the other until the signal. */
function putLoad (port, target, { connections, pauseMs, readMs = 0, sendMs = 0 }, signal) {
  const agent = new http.Agent({ keepAlive: true })
  signal.addEventListener('abort', () => agent.destroy())
  const ask = () => {
    if (signal.aborted) return
    const next = () => { if (!signal.aborted) setTimeout(ask, pauseMs) }
    const request = http.request({ host: '127.0.0.1', port, path: target, agent, method: sendMs === 0 ? 'GET' : 'POST' }, response => {
      response.on('end', next).on('error', next).on('data', () => {
        if (readMs === 0) return
        response.pause()
        setTimeout(() => response.resume(), readMs)
      })
    }).on('error', next)
    if (sendMs === 0) request.end()
    else sendSlowly(request, sendMs)
  }
  for (let index = 0; index < connections; index++) ask()
}

/** @param {http.ClientRequest} request */
function sendSlowly (request, everyMs) {
  let pieces = 0
  const timer = setInterval(() => {
    if (pieces++ < 8 && !request.destroyed) return request.write('a piece')
    clearInterval(timer)
    request.end()
  }, everyMs)
}

/** @returns the ports of all that the applications ask, each as slow as it should be */
async function startServers (t) {
  const delayed = async (name, delayMs) => {
    const proxy = await startProxy(t, ports[name])
    proxy.delayMs = delayMs
    return String(proxy.port)
  }
  const ports = {}
  for (const [name, { programs, start }] of Object.entries(SERVERS)) {
    if (programs.every(program => pathOf(program) !== undefined)) ports[name] = await start(t)
  }
  return {
    UPSTREAM_PORT: String((await startUpstream(t)).port),
    CLOSING_PORT: String(await startClosingServer(t, 20)),
    DNS_PORT: String(await startNameServer(t, 120)),
    SLOW_FILE: startSlowFile(t, 700),
    LARGE_FILE: makeLargeFile(t),
    ...(ports.postgres !== undefined && { PG_PORT: await delayed('postgres', 25), SLOW_PG_PORT: await delayed('postgres', 60) }),
    ...(ports.mariadb !== undefined && { MYSQL_PORT: await delayed('mariadb', 25), SLOW_MYSQL_PORT: await delayed('mariadb', 60) }),
    ...(ports.redis !== undefined && { REDIS_PORT: await delayed('redis', 600), QUICK_REDIS_PORT: await delayed('redis', 3) })
  }
}

function makeLargeFile (t) {
  const folder = makeScratch(t)
  const file = path.join(folder, 'film')
  fs.writeFileSync(file, Buffer.alloc(24e6)) // the system buffers some megabytes of a connection
  return file
}

function skipOf ({ needs: { packages = [], servers = [] } }) {
  const missing = servers.map(name => SERVERS[name]).find(({ programs }) => programs.some(program => pathOf(program) === undefined))
  if (missing !== undefined) return `no ${missing.programs[0]} on this machine: apt-get install ${missing.debian}`
  return packages.map(name => skipWithout(name)).find(Boolean) ?? false
}
