'use strict'

// Next.js as it is deployed in a container: `output: 'standalone'`, with nothing of the folder that it was built in.

const { after, before, describe, test } = require('node:test')
const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { promisify } = require('node:util')
const { installInto, commandOf, skipWithout } = require('./installed')
const { start, endingOf, eventually } = require('./environment')
const { OBSERVED, observe } = require('./observed')
const { ROOT } = require('../internal/project')

const run = promisify(execFile)
const PACKAGES = ['next', 'react', 'react-dom']
const { dependencies } = require('../../package.json')

const BLOCK = `function blockForAWhile () {
    const until = performance.now() + 300
    while (performance.now() < until);
    return 'done'
  }`

const FILES = {
  'package.json': '{"name":"shop"}',
  // Names that are not minified, for the culprit.
  'next.config.js': `module.exports = {
    output: 'standalone',
    outputFileTracingRoot: '/',
    serverExternalPackages: ['loopscope'],
    outputFileTracingIncludes: { '/*': ['./node_modules/loopscope/**/*'] },
    experimental: { serverMinification: false }
  }`,
  'instrumentation.js': `export async function register () {
    if (process.env.NEXT_RUNTIME !== 'nodejs' || process.env.DOOR !== 'instrumentation') return
    const { default: diagnostics } = await import('loopscope')
    diagnostics.createDiagnostics().start()
  }`,
  'pages/api/stall/[id].js': `${BLOCK}
  export default function handler (request, response) { response.end(blockForAWhile()) }`,
  'app/layout.js': 'export default function Layout ({ children }) { return <html><body>{children}</body></html> }',
  'app/shop/[slug]/page.js': `${BLOCK}
  export default async function Page ({ params }) { return <p>{(await params).slug} {blockForAWhile()}</p> }`,
  'app/api/users/[id]/route.js': `${BLOCK}
  export async function GET () { return new Response(blockForAWhile()) }
  export async function POST (request) {
    const body = await request.json()
    blockForAWhile()
    return Response.json(body)
  }`
}

describe('Next.js, standalone', { skip: skipWithout(...PACKAGES), timeout: 600_000 }, () => {
  let folder
  let server

  before(async () => {
    folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-next-'))
    const shop = path.join(folder, 'shop')
    installInto(shop, ...PACKAGES, ...Object.keys(dependencies))
    // Next.js knows what is installed by its real path: here loopscope is, as it would be published.
    const installed = path.join(shop, 'node_modules/loopscope')
    fs.rmSync(installed)
    for (const name of ['lib', 'types', 'package.json']) fs.cpSync(path.join(ROOT, name), path.join(installed, name), { recursive: true })
    for (const [name, text] of Object.entries(FILES)) {
      fs.mkdirSync(path.dirname(path.join(shop, name)), { recursive: true })
      fs.writeFileSync(path.join(shop, name), text)
    }
    await run(process.execPath, [commandOf('next'), 'build', '--webpack'], { cwd: shop, env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' } })
    fs.cpSync(path.join(shop, '.next/standalone'), path.join(folder, 'deployed'), { recursive: true, verbatimSymlinks: true })
    server = path.join(folder, 'deployed', shop)
  })

  after(() => fs.rmSync(folder, { recursive: true, force: true }))

  /** Started, and once it answers, as if it had said so. */
  async function deploy (t, env, args = []) {
    const port = await freePort()
    const app = start(t, [...args, 'server.js'], { cwd: server, env: { ...env, PORT: String(port), HOSTNAME: '127.0.0.1', NEXT_TELEMETRY_DISABLED: '1' } })
    await eventually(() => fetch(`http://127.0.0.1:${port}/none`).then(response => response.text(), () => null))
    return { ...app, until: pattern => String(pattern) === String(/^listening$/) ? { port } : app.until(pattern) }
  }

  async function endOf (app) {
    app.child.kill('SIGTERM')
    const { code, signal } = await endingOf(app)
    return { code, signal }
  }

  for (const [door, { env = {}, args }] of Object.entries({
    'instrumentation.js': { env: { DOOR: 'instrumentation' } },
    preload: { args: ['--require', 'loopscope/register'] }
  })) {
    test(`through ${door}: a stall with its culprit, a profile, the same end`, async t => {
      const app = await deploy(t, { ...OBSERVED, ...env }, args)
      const { stall } = await observe(app, { path: '/api/stall/4711', route: 'GET /api/stall/[id]' })
      assert.match(stall.culprit.file, /\.next\/server\/pages\/api\/stall\/\[id\]\.js$/)
      assert.deepEqual(await endOf(app), await endOf(await deploy(t, {})))
    })

    test(`through ${door}: pages and route handlers of the App Router by their routes, also after a body was read`, async t => {
      const app = await deploy(t, { ...OBSERVED, ...env }, args)
      const post = port => fetch(`http://127.0.0.1:${port}/api/users/4711`, { method: 'POST', body: '{"name":"Ada"}' }).then(response => response.text())
      await observe(app, { path: '/api/users/4711', route: 'GET /api/users/[id]' })
      await observe(app, { ask: post, route: 'POST /api/users/[id]' })
      await observe(app, { path: '/shop/lamp', route: 'GET /shop/[slug]' })
    })
  }
})

/** @returns {Promise<number>} Next.js does not tell which port it took. */
async function freePort () {
  const server = net.createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = /** @type {net.AddressInfo} */ (server.address())
  await new Promise(resolve => server.close(resolve))
  return port
}
