'use strict'

// What has to work on every platform: starts a service twice, blocks it, and asks through API, page and command line.
//
//   node test/platforms/smoke.js <report file> [command that starts the Node.js of the platform, by default the one that runs this]
//
// SMOKE_SLOWNESS  how many times slower than a real machine the platform is, where it is emulated
// SMOKE_SHORT     true: without what takes long there: findings, heap snapshots, a second process
//
// Nothing is read through a pipe, which emulators get wrong. The report ends with one line, `smoke: ok` or `smoke: 1 failed, 2 late`: late is what
// did not come in time, which may be the emulator's fault.

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')

const SLOWNESS = Number(process.env.SMOKE_SLOWNESS ?? 2)
const isShort = process.env.SMOKE_SHORT === 'true'
const STALL_MS = 600
const WITHIN_MS = 30_000 * SLOWNESS
const HEADERS = { Authorization: 'Bearer only-for-the-smoke-test-of-platforms' }
const CLI = path.join(__dirname, '../../bin/loopscope.js')
const APPLICATION = path.join(__dirname, 'application.js')
const SPIN_LINE = 1 + fs.readFileSync(APPLICATION, 'utf8').split('\n').findIndex(line => line.includes('performance.now() < until'))
const NAMES_LINE = /spin\b[^]*application\.js:\d+/
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loopscope-smoke-'))
const [, , reportFile, node = process.execPath, ...nodeArgs] = process.argv

/** @type {import('node:child_process').ChildProcess[]} */
const started = []
let failed = 0
let late = 0
let runs = 0

class Late extends Error {}

/** @param {string} line */
function write (line) {
  fs.appendFileSync(reportFile, `${line}\n`)
}

/** What an emulator of processors is too slow for. @type {typeof step} */
async function longStep (name, check) {
  if (!isShort) await step(name, check)
}

/**
 * @param {string} name
 * @param {() => unknown} check
 */
async function step (name, check) {
  const from = performance.now()
  try {
    await check()
    write(`ok      ${name} (${((performance.now() - from) / 1e3).toFixed(1)} s)`)
  } catch (/** @type {any} */ error) {
    if (error instanceof Late) late++
    else failed++
    write(`${error instanceof Late ? 'LATE  ' : 'FAILED'}  ${name}\n${String(error.stack).replace(/^/gm, '        ')}`)
  }
}

/**
 * @param {string} what
 * @param {() => unknown} find
 */
async function until (what, find) {
  for (const from = performance.now(); ; await sleep(50)) {
    const found = await find()
    if (found) return found
    if (performance.now() - from > WITHIN_MS) throw new Late(`no ${what} within ${WITHIN_MS / 1e3} s`)
  }
}

/** @param {string} file */
function read (file) {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
}

/** @param {string} name */
async function startApplication (name) {
  const [address, log] = [path.join(folder, `${name}.json`), path.join(folder, `${name}.log`)]
  const output = fs.openSync(log, 'w')
  const child = spawn(node, [...nodeArgs, APPLICATION, address, folder], { stdio: ['ignore', output, output] })
  fs.closeSync(output)
  started.push(child)
  const { pid, port } = await until(`address of ${name}`, () => {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${read(log)}`)
    return read(address).endsWith('}') && JSON.parse(read(address))
  })
  const url = `http://127.0.0.1:${port}`
  // V8 has no name for a loop that was hot before the recorder started.
  await until('recorder', async () => JSON.parse(await get(`${url}/diagnostics/loop`, { headers: HEADERS })).recorder.fromMs !== null)
  return { pid, log, url, child }
}

/** @param {string[]} args */
async function loopscope (...args) {
  const [out, err] = ['out', 'err'].map(name => path.join(folder, `${++runs}-${name}`))
  const files = [out, err].map(file => fs.openSync(file, 'w'))
  const child = spawn(node, [...nodeArgs, CLI, ...args], { stdio: ['ignore', ...files] })
  started.push(child)
  files.forEach(file => fs.closeSync(file))
  await until(`end of loopscope ${args.join(' ')}`, () => child.exitCode !== null || child.signalCode !== null)
  assert.equal(child.exitCode, 0, `loopscope ${args.join(' ')}: status ${child.exitCode}\n${read(err)}\n${read(out)}`)
  return { out: read(out), err: read(err) }
}

/**
 * @param {string} url
 * @param {object} [init]
 */
async function get (url, init) {
  const response = await fetch(url, init)
  assert.equal(response.status, 200, `${url}: ${response.status}`)
  return response.text()
}

/** @param {any} stall */
function isTheStall ({ route, durationMs, culprit }) {
  return route === 'GET /block/:ms' && durationMs >= STALL_MS * 0.9 && culprit?.function === 'spin'
}

async function main () {
  const shop = await startApplication('first')
  const pid = String(shop.pid)
  const api = async () => JSON.parse(await get(`${shop.url}/api`))

  await step('a stall has its route, function and line, through the API', async () => {
    const stall = await until('stall', async () => {
      await get(`${shop.url}/block/${STALL_MS}`)
      await get(`${shop.url}/wait`)
      return (await api()).stalls.find(isTheStall)
    })
    assert.equal(path.basename(stall.culprit.file), 'application.js')
    assert.ok(!stall.culprit.file.includes('\\') && !stall.culprit.file.startsWith('file:'), stall.culprit.file)
    assert.equal(stall.culprit.line, SPIN_LINE)
    assert.ok(['code', 'starved', 'unknown'].includes(stall.cause), stall.cause)
  })
  await longStep('delay and findings through the API', async () => {
    await until('finding', async () => {
      await get(`${shop.url}/block/${STALL_MS}`)
      return (await api()).findings.some((/** @type {any} */ { where }) => where?.route === 'GET /block/:ms')
    })
    const { delay } = await api()
    assert.ok(delay.maxMs >= STALL_MS * 0.9 && delay.utilization > 0 && delay.utilization <= 1, JSON.stringify(delay))
  })
  await step('the stall is a line of the log', () => until('line', () => /event loop stalled \d+ ms in GET \/block\/:ms: spin \(.*application\.js:\d+\)/.test(read(shop.log))))
  await step('a CPU profile is captured to a file', async () => {
    await get(`${shop.url}/block/${STALL_MS}`)
    const { file, bytes, written } = JSON.parse(await get(`${shop.url}/capture`))
    assert.equal(bytes, written)
    assert.ok(JSON.parse(read(file)).nodes.some((/** @type {any} */ { callFrame }) => callFrame.functionName === 'spin'), file)
  })
  await step('the page, its data and the metrics', async () => {
    assert.match(await get(`${shop.url}/diagnostics`, { headers: { ...HEADERS, Accept: 'text/html' } }), /<html/)
    assert.match(await get(`${shop.url}/diagnostics/stalls`, { headers: HEADERS }), /GET \/block\/:ms/)
    await until('metrics', async () => /nodejs_eventloop_/.test(await get(`${shop.url}/diagnostics/metrics`, { headers: HEADERS })))
  })

  const second = isShort ? shop : await startApplication('second')
  await step('list', () => until('the processes', async () => {
    const pids = JSON.parse((await loopscope('list', '--json')).out).map((/** @type {any} */ { pid }) => pid)
    return [shop, second].every(({ pid }) => pids.includes(pid))
  }))
  await step('stalls <pid>', async () => {
    const { out } = await loopscope('stalls', pid, '--json')
    const { stalls = JSON.parse(out) } = JSON.parse(out)
    assert.ok(stalls.some(isTheStall), out)
  })
  await longStep('why <pid>', async () => assert.match((await loopscope('why', pid)).out, NAMES_LINE))
  await longStep('top <pid>', async () => assert.match((await loopscope('top', pid)).out, new RegExp(`\\b${pid}\\b`)))
  await longStep('memory <pid>', async () => assert.match((await loopscope('memory', pid)).out, /heap/i))
  await longStep('waits <pid>', async () => assert.ok((await loopscope('waits', pid)).out.length > 0))
  await step('profile <pid>', async () => {
    await get(`${shop.url}/block/${STALL_MS}`)
    assert.match((await loopscope('profile', pid)).out, /spin/)
  })
  await longStep('profile <pid> to a file', async () => {
    const file = path.join(folder, 'last.cpuprofile')
    await get(`${shop.url}/block/${STALL_MS}`)
    await loopscope('profile', pid, '-o', file)
    await loopscope('profile', pid, '-o', file, '--force')
    assert.ok(JSON.parse(read(file)).nodes.length > 0)
    assert.match((await loopscope('report', file)).out, /spin/)
  })
  await longStep('heap <pid>', async () => {
    const file = path.join(folder, 'now.heapsnapshot')
    await loopscope('heap', pid, '-o', file, '--force')
    assert.ok(JSON.parse(read(file)).nodes.length > 0)
  })
  await longStep('a group of two', async () => {
    await until('finding of the group', async () => {
      await Promise.all([shop, second].map(({ url }) => get(`${url}/block/${STALL_MS}`)))
      return NAMES_LINE.test((await loopscope('why', '--group', 'smoke')).out)
    })
    const { out } = await loopscope('top', '--group', 'smoke')
    for (const member of [shop, second]) assert.match(out, new RegExp(`\\b${member.pid}\\b`))
  })
  await longStep('a process that was killed is no longer listed', async () => {
    second.child.kill('SIGKILL')
    await until('end', () => second.child.exitCode !== null || second.child.signalCode !== null)
    await until('list without it', async () => !JSON.parse((await loopscope('list', '--json')).out).some((/** @type {any} */ one) => one.pid === second.pid))
    assert.match((await loopscope('why', 'smoke')).out, /smoke \(pid/) // one is left: the name is enough
  })
  await step('no warnings, and the end', async () => {
    const warnings = read(shop.log).split('\n').filter(line => line.includes('"code":"LOOPSCOPE_WARN') || line.includes('"level":50'))
    assert.deepEqual(warnings, [])
    await get(`${shop.url}/end`)
    await until('end', () => shop.child.exitCode !== null)
    assert.equal(shop.child.exitCode, 0)
  })
}

main().catch(error => {
  if (error instanceof Late) late++
  else failed++
  write(`FAILED  ${error.stack}`)
}).finally(() => {
  for (const child of started) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  try {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  } catch {} // an emulator may still have a file open
  const isOk = failed + late === 0
  write(isOk ? 'smoke: ok' : `smoke: ${failed} failed, ${late} late`)
  process.exitCode = isOk ? 0 : 1
})
