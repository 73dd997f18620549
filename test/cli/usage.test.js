'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { COMMANDS } = require('../../lib/cli/commands')
const { readProject } = require('../internal/project')
const { version } = require('../../package.json')
const { cli } = require('./cli')
const { makeShortScratch } = require('../store/scratch')

test('help lists every command, and each has its own', async () => {
  const overview = await cli(['help'])
  assert.equal(overview.code, 0)
  await Promise.all(COMMANDS.map(async ({ name, help, options }) => {
    assert.ok(new RegExp(`^  ${name}\\b`, 'm').test(overview.stdout) && overview.stdout.replaceAll(/\s+/g, ' ').includes(help), name)
    const own = await cli([name, '--help'])
    assert.equal(own.code, 0, name)
    for (const option of Object.keys(options)) assert.ok(own.stdout.includes(`--${option}`), `${name} --${option}`)
  }))
})

test('docs/cli.md has every command and every exit code', () => {
  const document = readProject('docs/cli.md')
  for (const { name } of COMMANDS) assert.match(document, new RegExp(`^\\| \`${name}\\b`, 'm'))
  for (const code of Object.values(require('../../lib/cli/failure').EXIT_CODES)) assert.match(document, new RegExp(`^\\| ${code} \\|`, 'm'))
})

test('the version is that of the package', async () => {
  assert.equal((await cli(['--version'])).stdout.trim(), version)
})

for (const [args, message] of [
  [['bogus'], /bogus is not a command.*Commands: why, list, profile/s],
  [['proflie', '1'], /proflie is not a command\. Did you mean profile\?/],
  [['help', 'stals'], /stals is not a command\. Did you mean stalls\?/],
  [['stalls', '--jsno'], /Unknown option '--jsno'\. Did you mean --json\?/],
  [['profile', '1', '--secnods=5'], /Did you mean --seconds\?/],
  [['stalls', '--bad'], /Unknown option '--bad'.*Options: .*--json/s],
  [['stalls'], /Which process\?/],
  [['report'], /report takes <file/],
  [['report', 'a', 'b'], /got 2/],
  [['profile', '1', '--seconds', '0'], /--seconds must be greater than 0/],
  [['profile', '1', '--format', 'svg'], /svg is not a format.*cpuprofile/s],
  [['profile', '--attach', 'x'], /--attach takes a pid/],
  [['stalls', 'ftp://host'], /neither a pid nor a URL/],
  [['artifacts', '--socket', '/nowhere', 'burn', 'x'], /takes get <name> or rm <name>/]
]) {
  test(`loopscope ${args.join(' ')} is wrong use`, async () => {
    const { code, stderr, stdout } = await cli(args)
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, message)
  })
}

test('what cannot be reached has its own exit codes', async () => {
  assert.deepEqual((await cli(['stalls', '2147483646'])).code, 3)
  const plain = await cli(['stalls', String(process.pid)])
  assert.equal(plain.code, 4)
  assert.match(plain.stderr, /runs without loopscope.*loopscope run/s)
  assert.equal((await cli(['stalls', '--socket', '/nowhere/x.sock'])).code, 7)
  assert.equal((await cli(['stalls', 'http://127.0.0.1:9'])).code, 7)
})

test('run starts a program with loopscope in it, and ends as it ends', async t => {
  const folder = makeShortScratch(t)
  const script = 'const fs = require("node:fs"); const end = () => { if (fs.readdirSync(process.env.TMPDIR + "/loopscope-" + process.geteuid() + "/control").length > 0) process.exit(7) }; setInterval(() => { try { end() } catch {} }, 20)'
  const { code } = await cli(['run', '--', process.execPath, '-e', script], { env: { TMPDIR: folder, NODE_OPTIONS: '--no-warnings' } })
  assert.equal(code, 7)
  const missing = await cli(['run', '--', path.join(folder, 'nothing')])
  assert.deepEqual([missing.code, /Cannot run/.test(missing.stderr)], [1, true])
})
