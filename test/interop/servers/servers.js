'use strict'

// What build.sh has built: servers, each for one test: in processes of their own, with folders of their own, on 127.0.0.1 only.

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')

const FOLDER = process.env.TEST_SERVERS ?? ''
const VERSIONS = Object.freeze({ 'alloy-syntax': '0.1.0', otelcol: '0.162.0', pyroscope: '1.12.0' })
const LOOPBACK = '127.0.0.1'
const PATIENCE_MS = 60_000

const binaryOf = name => path.join(FOLDER, `${name}-${VERSIONS[name]}`)

/** @param {keyof VERSIONS} name */
function skipWithout (name) {
  return FOLDER !== '' && fs.existsSync(binaryOf(name)) ? false : `${name} is not built: test/interop/servers/build.sh`
}

/**
 * @param {import('node:test').TestContext} t  the server is killed after it
 * @returns {Promise<{ url: string, output: () => string }>} output: what it has shown
 */
async function startOtelcol (t) {
  const [folder, port] = [makeFolder(), await freePort()]
  const config = path.join(folder, 'config.json') // YAML holds JSON
  fs.writeFileSync(config, JSON.stringify({
    receivers: { otlp: { protocols: { http: { endpoint: `${LOOPBACK}:${port}` } } } },
    exporters: { debug: { verbosity: 'detailed' } },
    service: { telemetry: { metrics: { level: 'none' } }, pipelines: { profiles: { receivers: ['otlp'], exporters: ['debug'] } } }
  }))
  const server = run(t, 'otelcol', ['--feature-gates=service.profilesSupport', `--config=${config}`], folder)
  await eventually(() => server.output().includes('Everything is ready'), server)
  return { url: `http://${LOOPBACK}:${port}`, ...server }
}

/**
 * @param {import('node:test').TestContext} t  the server is killed after it
 * @returns {Promise<{ url: string, output: () => string }>}
 */
async function startPyroscope (t) {
  const [folder, port, grpcPort] = [makeFolder(), await freePort(), await freePort()]
  const rings = ['compactor.ring', 'distributor.ring', 'overrides-exporter.ring', 'query-scheduler.ring', 'store-gateway.sharding-ring']
  const server = run(t, 'pyroscope', [
    '-self-profiling.disable-push=true', '-usage-stats.enabled=false', '-ring.store=inmemory', '-ingester.min-ready-duration=0s',
    `-server.http-listen-address=${LOOPBACK}`, `-server.http-listen-port=${port}`,
    `-server.grpc-listen-address=${LOOPBACK}`, `-server.grpc-listen-port=${grpcPort}`,
    `-ingester.lifecycler.addr=${LOOPBACK}`, `-query-frontend.instance-addr=${LOOPBACK}`, `-memberlist.bind-addr=${LOOPBACK}`,
    ...rings.flatMap(ring => [`-${ring}.store=inmemory`, `-${ring}.instance-addr=${LOOPBACK}`]),
    `-pyroscopedb.data-path=${folder}/db`, `-storage.filesystem.dir=${folder}/shared`, `-compactor.data-dir=${folder}/compactor`,
    `-blocks-storage.bucket-store.sync-dir=${folder}/sync`
  ], folder)
  const url = `http://${LOOPBACK}:${port}`
  await eventually(async () => (await fetch(`${url}/ready`).catch(() => null))?.ok, server)
  return { url, ...server }
}

/** One that nobody has. */
async function freePort () {
  const listener = net.createServer().listen(0, LOOPBACK)
  await once(listener, 'listening')
  const { port } = listener.address()
  await new Promise(resolve => listener.close(resolve))
  return port
}

const makeFolder = () => fs.mkdtempSync(path.join(os.tmpdir(), 'loopscope-server-'))

function run (t, name, args, folder) {
  const child = spawn(binaryOf(name), args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', more => { text += more })
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
    fs.rmSync(folder, { recursive: true, force: true })
  })
  return { output: () => text, hasEnded: () => child.exitCode !== null }
}

/**
 * Asks until it is so.
 * @param {() => unknown} isTrue
 * @param {{ output: () => string, hasEnded: () => boolean }} server
 */
async function eventually (isTrue, server) {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const value = await isTrue()
    if (value) return value
    if (server.hasEnded() || performance.now() > deadline) throw new Error(`it did not come:\n${server.output().slice(-5000)}`)
    await sleep(100)
  }
}

module.exports = { binaryOf, eventually, skipWithout, startOtelcol, startPyroscope }
