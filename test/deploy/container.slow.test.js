'use strict'

// What the pages for Docker and Kubernetes promise of the variables in deploy/: in a container that may write nowhere but to /tmp and to a
// volume of root, as a user without rights, process 1 is observed, and what is typed beside it is answered.

const assert = require('node:assert/strict')
const { execFile, spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { test } = require('node:test')
const { promisify } = require('node:util')
const { ROOT } = require('../internal/project')
const { readYaml } = require('./deployed')

const run = promisify(execFile)
const USER = ['setpriv', '--reuid', '1000', '--regid', '1000', '--clear-groups', '--no-new-privs']
const CONTAINER = ['unshare', '--pid', '--fork', '--mount', '--mount-proc', '--kill-child']
const PREPARE = `
for place in / "$TEMPORARY"; do mount --bind "$place" "$place" && mount -o remount,ro,bind "$place" || exit; done
mount -t tmpfs -o mode=1777 tmpfs "$PLACE/tmp" && mount -t tmpfs -o mode=777 tmpfs "$PLACE/captures" && cd "$PLACE/app" && exec "$@"`
// Not os.tmpdir(): that may be in a folder which the user without rights cannot enter.
const TEMPORARY = '/tmp'
const UNREACHABLE = 4 // the status of the command line
const APPLICATION = `
const http = require('node:http')
const { pbkdf2Sync } = require('node:crypto')
const server = http.createServer((request, response) => {
  if (request.url === '/login') pbkdf2Sync('correct horse', 'salt', 1_000_000, 64, 'sha256')
  response.end('ok')
})
server.listen(0, '127.0.0.1', () => console.log('listening on http://127.0.0.1:' + server.address().port))
process.on('SIGTERM', () => process.exit())
`

function skip () {
  const { status, error, stderr } = spawnSync(CONTAINER[0], [...CONTAINER.slice(1), ...USER, process.execPath, '-e', `require(${JSON.stringify(ROOT)})`], { encoding: 'utf8' })
  return status !== 0 && `a container cannot be made here: ${error?.message ?? stderr.trim()}`
}

/** Variables of the deployment, for this folder and any free port. */
function variablesOf (place) {
  const [{ stringData }, { spec: { template: { spec: { containers: [{ env }] } } } }] = readYaml('kubernetes', 'deployment.yml')
  const asDeployed = Object.fromEntries(env.map(({ name, value }) => [name, value ?? stringData.token]))
  return { ...asDeployed, NODE_ENV: 'production', LOOPSCOPE_ADMIN_LISTEN: '127.0.0.1:0', LOOPSCOPE_DIR: path.join(place, asDeployed.LOOPSCOPE_DIR), TMPDIR: path.join(place, 'tmp'), PATH: `${path.dirname(process.execPath)}:${process.env.PATH}` }
}

test('a container without rights: the first process is observed, and commands beside it are answered', { skip: skip() }, async t => {
  const place = fs.mkdtempSync(path.join(TEMPORARY, 'loopscope-container-'))
  t.after(() => fs.rmSync(place, { recursive: true, force: true }))
  fs.chmodSync(place, 0o755)
  for (const folder of ['tmp', 'captures', 'app/node_modules/.bin']) fs.mkdirSync(path.join(place, folder), { recursive: true })
  fs.writeFileSync(path.join(place, 'app/app.js'), APPLICATION)
  fs.symlinkSync(ROOT, path.join(place, 'app/node_modules/loopscope'))
  fs.symlinkSync('../loopscope/bin/loopscope.js', path.join(place, 'app/node_modules/.bin/loopscope'))
  const env = variablesOf(place)

  const container = spawn(CONTAINER[0], [...CONTAINER.slice(1), 'sh', '-c', PREPARE, 'sh', ...USER, 'node', 'app.js'], { env: { ...env, PLACE: place, TEMPORARY } })
  const ended = once(container, 'close')
  let output = ''
  for (const stream of [container.stdout, container.stderr]) stream.setEncoding('utf8').on('data', text => { output += text })
  const until = async pattern => {
    for (;;) {
      const found = pattern.exec(output)
      if (found !== null) return found
      if (container.exitCode !== null) throw new Error(output)
      await Promise.race([once(container.stdout, 'data'), once(container.stderr, 'data'), once(container, 'close')])
    }
  }
  const [, url] = await until(/listening on (\S+)/)
  const first = fs.readFileSync(`/proc/${container.pid}/task/${container.pid}/children`, 'utf8').trim()
  assert.match(first, /^\d+$/)
  // Not by the end of unshare: who changes the user is let go of by its parent.
  t.after(async () => {
    if (container.exitCode === null) process.kill(Number(first), 'SIGKILL')
    await ended
  })
  /** As `docker exec` and `kubectl exec` run it, with the variables of the container. */
  const exec = async (...command) => {
    const { stdout, stderr } = await run('nsenter', ['--target', first, '--pid', '--mount', '--root', '--wd', ...USER, ...command], { env })
    assert.equal(stderr, '', command.join(' '))
    return stdout
  }

  await t.test('why, with the route and the line', async () => {
    // Control socket and recorder are there a moment after the application, and a busy machine may have a worse problem at first.
    for (let answer = ''; !/GET \/login [^]*pbkdf2Sync/.test(answer);) {
      await (await fetch(`${url}/login`)).text()
      answer = await exec('node_modules/.bin/loopscope', 'why', '1').catch(error => {
        if (error.code !== UNREACHABLE) throw error
        return ''
      })
    }
    assert.match(await exec('node_modules/.bin/loopscope', 'list'), /^ *PID[^\n]*\n *1 +shop [^\n]*\n$/)
  })
  await t.test('SIGUSR2 to process 1 writes into the volume', async () => {
    assert.equal(await exec('kill', '-USR2', '1'), '')
    const [, file] = await until(/SIGUSR2: cpu capture written to (\S+)"/)
    assert.ok(file.startsWith(`${env.LOOPSCOPE_DIR}/`), file)
    const name = (await exec('node_modules/.bin/loopscope', 'artifacts', '1')).match(/cpu-shop\S+\.cpuprofile/)?.[0]
    assert.equal(name, path.basename(file))
    JSON.parse(await exec('node_modules/.bin/loopscope', 'artifacts', '1', 'get', name, '-o', '-'))
  })
  assert.doesNotMatch(output, /LOOPSCOPE_WARN/)
})
