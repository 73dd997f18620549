'use strict'

// `top` on a terminal: its keys, several processes at once, and the terminal as it was.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { run } = require('../admin/running')
const { actionsOf, afterAction } = require('../../lib/cli/top-screen')
const { KEYS, noTerminal, shell } = require('./shell')

const LEFT = '\u001b[?25h\u001b[?1049l' // the cursor is back, and the other screen is gone

/** What is on the screen since it was drawn last. */
const drawn = screen => screen.slice(screen.lastIndexOf('\u001b[H\u001b[J'))

/** Each key, or deed, when the screen shows what it waits for. */
function typing (steps) {
  const left = [...steps]
  return (type, screen) => {
    if (left.length === 0 || !left[0][0].test(drawn(screen))) return
    const [, next] = left.shift()
    typeof next === 'function' ? next() : type(next)
  }
}

test('top shows all processes of the user; keys select, ask why, pause, help and quit', { skip: noTerminal }, async t => {
  const first = await run(t)
  const second = await run(t, { env: { TMPDIR: first.folder } })
  for (const { listenerUrl } of [first, second]) await listenerUrl()
  const env = { TMPDIR: first.folder }
  const { code, screen } = await shell('loopscope top; stty -a | tr " " "\\n" | grep -x -e icanon -e echo', {
    env,
    onOutput: typing([
      [/2 processes, sorted by DELAY[^]*OK[^]*OK/, 's'],
      [/sorted by UTIL/, KEYS.down],
      [/sorted by UTIL/, 'p'],
      [/PAUSED/, '?'],
      [/select a process/, 'x'],
      [/PAUSED/, KEYS.enter],
      [/pid \d+\), observed/, 'x'],
      [/PAUSED/, 'q']
    ])
  })
  assert.ok(screen.includes(LEFT), screen)
  assert.match(screen.slice(screen.indexOf(LEFT)), /icanon\r\necho/)
  assert.equal(code, 0)
})

test('the terminal is as it was after Ctrl-C and SIGTERM, with 130', { skip: noTerminal }, async t => {
  const app = await run(t)
  await app.listenerUrl()
  const env = { TMPDIR: app.folder }
  const interrupted = await shell('loopscope top', { env, onOutput: typing([[/OK/, KEYS.interrupt]]) })
  assert.deepEqual([interrupted.code, interrupted.screen.includes(LEFT)], [130, true])
  const pidFile = path.join(app.folder, 'top.pid')
  const end = typing([[/OK/, () => process.kill(Number(fs.readFileSync(pidFile, 'utf8')), 'SIGTERM')]])
  const ended = await shell(`echo $$ > ${pidFile}; exec "$NODE" "$BIN" top`, { env, onOutput: end })
  assert.deepEqual([ended.code, ended.screen.includes(LEFT)], [130, true], ended.screen)
})

test('keys are read one by one, also where they come together', () => {
  assert.deepEqual(actionsOf('s\u001b[B\u001bOAjz q'), ['sort', 'down', 'up', 'down', '', 'pause', 'quit'])
  const view = { all: [], selected: 0, sort: 0, isPaused: false, over: null }
  assert.equal(afterAction(view, 'down').selected, 0)
  assert.equal(afterAction({ ...view, over: ['x'] }, 'sort').over, null)
})
