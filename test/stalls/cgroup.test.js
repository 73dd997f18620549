'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { groupFolders } = require('../../lib/base/system/cgroup-folders')
const { ThrottleReader } = require('../../lib/observer/stalls/scheduler')

const FIXTURES = path.join(__dirname, '..', 'fixtures', 'cgroup')
const PERIOD_MICROS = 100_000
const QUOTA_MICROS = 20_000

function read (place, file) {
  return fs.readFileSync(path.join(FIXTURES, place, file), 'utf8')
}

for (const place of fs.readdirSync(FIXTURES, { withFileTypes: true }).filter(entry => entry.isDirectory()).map(({ name }) => name)) {
  test(`finds the groups that can hold the process back: ${place.replaceAll('-', ' ')}`, () => {
    const folders = read(place, 'folders.txt').split('\n').filter(line => line !== '')
    assert.deepEqual(groupFolders('cpu', read(place, 'cgroup'), read(place, 'mountinfo')), folders)
  })
}

/** Burns CPU and prints what it has been told of quotas before and after. */
const CHILD = `
  const throttle = new (require(${JSON.stringify(require.resolve('../../lib/observer/stalls/scheduler'))}).ThrottleReader)()
  const before = throttle.read()
  const cpuMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1e3 }
  const until = cpuMs() + 150
  while (cpuMs() < until);
  console.log(JSON.stringify({ before, after: throttle.read() }))`

/** @returns {string | null} where this user can make groups with a quota */
function findRoot () {
  try {
    const folders = groupFolders('cpu', fs.readFileSync('/proc/self/cgroup', 'latin1'), fs.readFileSync('/proc/self/mountinfo', 'latin1'))
    return folders.find(folder => {
      const probe = path.join(folder, `loopscope-probe-${process.pid}`)
      try {
        fs.mkdirSync(probe)
        const isUsable = quotaFileOf(probe) !== null
        fs.rmdirSync(probe)
        return isUsable
      } catch {
        return false
      }
    }) ?? null
  } catch {
    return null
  }
}

/** @param {string} folder */
function quotaFileOf (folder) {
  return ['cpu.max', 'cpu.cfs_quota_us'].map(file => path.join(folder, file)).find(file => fs.existsSync(file)) ?? null
}

function setQuota (folder) {
  const file = quotaFileOf(folder)
  fs.writeFileSync(file, file.endsWith('cpu.max') ? `${QUOTA_MICROS} ${PERIOD_MICROS}` : String(QUOTA_MICROS))
}

function burnIn (folder) {
  const shell = 'echo $$ > "$1" && exec "$2" -e "$3"'
  const { stdout, stderr, status } = spawnSync('sh', ['-c', shell, 'sh', path.join(folder, 'cgroup.procs'), process.execPath, CHILD], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout)
}

const root = findRoot()
const skip = root === null && 'no group with a CPU quota can be made here (not Linux, or not root)'

test('reads how long a quota held the process back, also one of a group above its own', { skip }, t => {
  const outer = path.join(root, `loopscope-test-${process.pid}`)
  const inner = path.join(outer, 'inner')
  fs.mkdirSync(inner, { recursive: true })
  t.after(() => [inner, outer].forEach(folder => fs.rmdirSync(folder)))
  setQuota(outer)
  const { before, after } = burnIn(inner)
  assert.ok(after > before, `${before} ms, then ${after} ms`)
})

test('where no quota applies, or this is not Linux, there is no reading; closing twice does no harm', () => {
  const throttle = new ThrottleReader()
  const reading = throttle.read()
  assert.ok(reading === null || reading >= 0)
  throttle.close()
  throttle.close()
})
