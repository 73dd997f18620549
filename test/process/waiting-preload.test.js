'use strict'

// When a process with the preload begins to be observed. Each script prints whether it is, by loopscope's process-wide instruments.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { start } = require('./child')
const { makeScratch } = require('../store/scratch')

const REGISTER = require.resolve('../../lib/register')
const LOOPSCOPE = require.resolve('../../lib/index')

/** Prints whether the process is observed, and how many files of the package are loaded. */
const SAY = `
  const say = word => console.log(word, Object.getOwnPropertySymbols(globalThis).some(key => /^loopscope\\.instruments/.test(key.description)), process.listenerCount('SIGUSR2'))
  const files = () => Object.keys(require.cache).length
`

/** What a script printed, by its first word. It is no file, and so no application. */
async function run (t, source, env = {}) {
  const { ended } = start(t, ['--require', REGISTER, '-e', SAY + source], { env })
  const { code, stdout, stderr } = await ended
  assert.equal(code, 0, stderr)
  return { ...Object.fromEntries(stdout.trim().split('\n').map(line => [line.split(' ')[0], line.split(' ').slice(1).join(' ')])), stderr }
}

// Node.js 20 does not publish what is required: there an application is observed from its first moment.
const publishesModules = Number(process.versions.node.split('.')[0]) >= 22

/** Whether a process is observed at the end of its first file, which is written for it. */
async function runFile (t, name, source) {
  const folder = makeScratch(t)
  const file = path.join(folder, name)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, `${source}\n${SAY}\nsay('end')\nprocess.exit()`)
  const { code, stdout, stderr } = await start(t, ['--require', REGISTER, file]).ended
  assert.equal(code, 0, stderr)
  return stdout.trim()
}

test('an application that loads what servers are made of is observed from then on', async t => {
  assert.equal(await runFile(t, 'app.js', "require('node:http')"), 'end true 1')
  assert.equal(await runFile(t, 'app.mjs', "import 'node:fs'"), 'end true 1')
})

test('a script that does not load it is not, and nor is a command of a package', async t => {
  assert.equal(await runFile(t, 'script.js', "require('node:fs')"), `end ${!publishesModules} 1`)
  assert.equal(await runFile(t, 'node_modules/tool/bin.js', "require('http')"), 'end false 1')
})

test('package managers, and the command line of loopscope, are never observed: the variables beside them are those of the application', async t => {
  for (const name of ['npm/bin/npm-cli.js', 'npm/bin/npx-cli.js', '.yarn/releases/yarn-4.6.0.cjs', 'yarn/bin/yarn.js', 'pnpm/bin/pnpm.cjs', 'corepack/dist/corepack.js']) {
    assert.equal(await runFile(t, name, "require('node:http').createServer().listen(0)"), 'end false 0', name)
  }
  const command = require.resolve('../../bin/loopscope')
  const { code, stderr } = await start(t, ['--require', REGISTER, command, 'completion', 'bash'], { env: { LOOPSCOPE_TOKEN: 'x'.repeat(40), LOOPSCOPE_ADMIN_LISTEN: '127.0.0.1:1' } }).ended
  assert.deepEqual([code, stderr], [0, ''])
})

test('a process that ends at once starts nothing and loads little', async t => {
  const { end, files, stderr } = await run(t, "say('end'); console.log('files', files())", { LOOPSCOPE_DIR: undefined })
  assert.equal(end, 'false 1')
  assert.ok(Number(files) <= 20, files)
  assert.equal(stderr, '')
})

test('a process is observed before it listens, and nothing is called twice', async t => {
  const { before, listening, after } = await run(t, `
    const server = require('node:net').createServer()
    say('before')
    server.listen(0, '127.0.0.1', () => {
      say('listening')
      setImmediate(() => { say('after'); server.close() })
    })`)
  assert.deepEqual([before, listening, after], ['false 1', 'true 1', 'true 1'])
})

test('a process is observed when it has lived for a while', async t => {
  const { early, late } = await run(t, `
    say('early')
    const timer = setInterval(() => {
      if (Object.getOwnPropertySymbols(globalThis).some(key => /^loopscope\\.instruments/.test(key.description))) { say('late'); clearInterval(timer) }
    }, 20)`)
  assert.deepEqual([early, late], ['false 1', 'true 1'])
})

/** Runs instead of the timer that the preload starts, and prints how long that would have been. */
const AT_ONCE = `${SAY}
  const timers = require('node:timers')
  timers.setTimeout = (then, ms) => {
    setImmediate(() => {
      then()
      say(ms)
      process.exit()
    })
    return { unref () {} }
  }`

test('a command of a package has a minute, in which builds and test runs end', async t => {
  const folder = makeScratch(t)
  fs.mkdirSync(path.join(folder, 'node_modules/tool'), { recursive: true })
  for (const [file, text] of [['at-once.js', AT_ONCE], ['node_modules/tool/bin.js', ''], ['script.js', '']]) fs.writeFileSync(path.join(folder, file), text)
  const startOf = async file => (await start(t, ['--require', path.join(folder, 'at-once.js'), '--require', REGISTER, path.join(folder, file)]).ended).stdout.trim()
  assert.equal(await startOf('node_modules/tool/bin.js'), '60000 true 1')
  if (publishesModules) assert.equal(await startOf('script.js'), '2000 true 1')
})

test('a signal that captures is answered by a process that is not observed yet', async t => {
  const { child, until, ended } = start(t, ['--require', REGISTER, '-e', "setInterval(() => {}, 1e6); process.kill(process.pid, 'SIGUSR2')"])
  await until(/^SIGUSR2: capturing cpu/)
  child.kill('SIGKILL')
  await ended
})

test('diagnostics of the application start at once, after those of the preload, whose options hold', async t => {
  const { before, after, threshold, stderr } = await run(t, `
    say('before')
    const d = require(${JSON.stringify(LOOPSCOPE)}).createDiagnostics({ stallThresholdMs: 250 })
    say('made')
    d.start()
    say('after')
    console.log('threshold', globalThis[Object.getOwnPropertySymbols(globalThis).find(key => /^loopscope\\.instruments/.test(key.description))].value.options.stallThresholdMs)
    setTimeout(() => d.close().then(() => process.exit()), 100)`, { LOOPSCOPE_STALL_THRESHOLD_MS: '300' })
  assert.deepEqual([before, after, threshold], ['false 1', 'true 1', '300'])
  assert.equal(stderr, '')
})

for (const [name, value] of [['LOOPSCOPE_START_AT_ONCE', 'true'], ['LOOPSCOPE_SYNC_CALLS', 'true']]) {
  test(`with ${name} a process is observed from its first moment`, async t => {
    assert.equal((await run(t, "say('end')", { [name]: value })).end, 'true 1')
  })
}

test('without signals none is listened to', async t => {
  assert.equal((await run(t, "say('end')", { LOOPSCOPE_SIGNALS: 'off' })).end, 'false 0')
})

test('a variable that the application sets wrong is logged when it begins, and the application goes on', async t => {
  const { listening, stderr } = await run(t, `
    process.env.LOOPSCOPE_HEARTBEAT_MS = 'soon'
    const server = require('node:net').createServer().listen(0, '127.0.0.1', () => { say('listening'); server.close() })`)
  assert.equal(listening, 'false 0')
  assert.match(stderr, /"msg":"this process is not observed: LOOPSCOPE_HEARTBEAT_MS must be/)
})
