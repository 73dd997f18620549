'use strict'

// No thread of loopscope may wait in the read of a file, since process.exit() waits for the thread: whoever can name or place a file would decide
// when the process ends. So all files that others can name or place are read by base/regular-file.js.

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { openRegularFile, readRegularFile, readRegularText } = require('../../lib/base/regular-file')

const LIB = path.join(__dirname, '..', '..', 'lib')
const READS = /\bfs\.(?:promises\.)?(?:readFileSync|readFile|createReadStream|openSync)\(/
const SAFE = /fd: openRegularFile|readFileSync\(fd|'wx'/ // of a descriptor; one that is made

/** Why these may read as they like. */
const EXEMPT = Object.freeze(/** @type {Record<string, string>} */ ({
  'base/regular-file.js': 'is how files are read',
  'base/own-files.js': 'files of this package',
  'formats/flamegraph/libraries.js': 'files of packages',
  'observer/admin/dashboard.js': 'files of packages',
  'base/system/process-ids.js': '/proc',
  'base/system/memory-room.js': '/proc and /sys',
  'base/system/resident-memory.js': '/proc',
  'base/system/cluster-worker.js': '/proc',
  'base/system/schedstat.js': '/proc',
  'base/system/private-directory.js': 'a directory, and nothing else (O_DIRECTORY)',
  'api/signals.js': '/proc',
  'source-maps/worker.js': '/proc',
  'observer/stalls/scheduler.js': '/proc and /sys',
  'observer/threads/thread-load.js': '/proc',
  'observer/connections.js': '/proc',
  'observer/memory/fragmentation.js': '/proc',
  'observer/recorder/debugger-detector.js': '/proc',
  'api/options/options.js': 'a file that the configuration names, before anything runs: it may be a pipe',
  'api/handle.js': "what the application asks for, in the application's own name",
  'probe/heap/take-snapshot.js': 'its own, just made',
  'observer/store/reservation.js': 'its own, just made',
  'observer/store/directory.js': 'a directory that is there',
  'observer/heap/redaction/redact.js': 'its own, just made'
}))

test('files that others can name or place are read as regular files', () => {
  const found = fs.readdirSync(LIB, { recursive: true }).map(name => String(name).replaceAll('\\', '/')).filter(name => {
    if (!name.endsWith('.js') || /^(cli|browser)\//.test(name)) return false
    return fs.readFileSync(path.join(LIB, name), 'utf8').split('\n').some(line => READS.test(line) && !SAFE.test(line))
  })
  assert.deepEqual(found.filter(name => !(name in EXEMPT)), [])
  assert.deepEqual(Object.keys(EXEMPT).filter(name => !found.includes(name)), [], 'each exemption is of a file that reads')
})

test('of a regular file as much is read as it has, and nothing of what is none', { skip: process.platform === 'win32' }, t => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loopscope-regular-'))
  t.after(() => fs.rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'file')
  fs.writeFileSync(file, 'text')
  assert.equal(readRegularText(file), 'text')
  assert.throws(() => readRegularFile(file, { maxBytes: 3 }), { code: 'ERR_FILE_TOO_LARGE', size: 4 })
  const link = path.join(folder, 'link')
  fs.symlinkSync(file, link)
  assert.equal(readRegularText(link), 'text')
  assert.throws(() => readRegularFile(link, { follow: false }), { code: 'ELOOP' })
  const pipe = path.join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  for (const none of [pipe, folder, '/dev/zero', '/dev/tty']) {
    assert.throws(() => openRegularFile(none), error => ['ERR_NOT_A_FILE', 'ENXIO', 'ENOENT'].includes(error.code), none)
  }
  // Its size is 0, and a read of it waits for the next message of the kernel.
  if (fs.existsSync('/proc/kmsg') && process.getuid() === 0) assert.equal(readRegularFile('/proc/kmsg').length, 0)
})
