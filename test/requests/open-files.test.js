'use strict'

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const test = require('node:test')
const { OpenFiles } = require('../../lib/observer/connections')

const EVERY_MS = 10_000

/** @param {import('node:test').TestContext} t @param {(reading: number) => number} countAt  how many files are open */
function openFiles (t, countAt) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'open-files-'))
  t.after(() => fs.rmSync(folder, { recursive: true }))
  const files = new OpenFiles(folder)
  let open = 0
  for (let reading = 0; reading < 40; reading++) {
    for (; open < countAt(reading); open++) fs.symlinkSync(`socket:[${open}]`, path.join(folder, String(open)))
    for (; open > countAt(reading); open--) fs.unlinkSync(path.join(folder, String(open - 1)))
    files.note(reading * EVERY_MS)
  }
  return files.state()
}

test.describe('open files', { skip: process.platform !== 'linux' && 'only Linux lists them' }, () => {
  test('those that become more without end have a rate and a kind', t => {
    const state = openFiles(t, reading => 30 + reading * 5)
    assert.deepEqual([state?.open, Math.round(state?.growing?.perMinute ?? 0), state?.kinds], [225, 30, { sockets: 225 }])
    assert.ok(Number(state?.limit) >= 256)
  })

  test('those that come and go, or of which there are more once, do not grow', t => {
    assert.equal(openFiles(t, reading => 30 + reading * 37 % 100)?.growing, null)
    assert.equal(openFiles(t, reading => reading < 15 ? 30 : 230)?.growing, null)
    assert.equal(openFiles(t, reading => 30 + reading)?.growing, null)
  })

  test('where no file is left to list them the last ones count', () => {
    const script = `
      const { OpenFiles } = require(${JSON.stringify(require.resolve('../../lib/observer/connections'))})
      const files = new OpenFiles()
      try {
        for (;;) {
          files.note(0)
          require('fs').openSync('/dev/null')
        }
      } catch {}
      const { open, limit, kinds } = files.state()
      process.stdout.write(JSON.stringify([open, limit, kinds.files > 0]))`
    const { stdout } = spawnSync('sh', ['-c', 'ulimit -n 100 && exec "$0" -e "$1"', process.execPath, script], { encoding: 'utf8' })
    assert.deepEqual(JSON.parse(stdout), [100, 100, true])
  })
})

test('where the system does not list them nothing is known', () => {
  const files = new OpenFiles('/nowhere')
  files.note(0)
  assert.equal(files.state(), null)
})
