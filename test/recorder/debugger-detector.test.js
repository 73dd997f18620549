'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { createDebuggerDetector } = require('../../lib/observer/recorder/debugger-detector')

const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n'
const NOBODY = '   0: 0100007F:240D 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 799403 1 0 100 0\n'
const LEAVING = '   1: 0100007F:240D 0100007F:B59C 06 00000000:00000000 03:00001770 00000000     0        0 0 3 0\n'
const CLIENTS_END = '   2: 0100007F:B59C 0100007F:240D 01 00000000:00000000 00:00000000 00000000  1000        0 799404 1 0 20 4 29 12 -1\n'
const DEBUGGER = '  13: 0100007F:240D 0100007F:B59C 01 00000000:00000000 00:00000000 00000000  1000        0 799405 1 0 20 4 28 12 -1\n'
const DEBUGGER_6 = '   3: 0000000000000000FFFF00000100007F:240D 0000000000000000FFFF00000100007F:B59C 01 00000000:00000000 00:00000000 00000000  1000        0 799405 1\n'
const URL = 'ws://127.0.0.1:9229/c13dbeaa'
const CONNECTED = `a debugger is connected to ${URL}`

/** Why nothing may be started where the system's tables hold that; null for a text: there is no such table. */
function reasonBy (t, ...texts) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopscope-test-'))
  t.after(() => fs.rmSync(dir, { recursive: true }))
  const tables = texts.map((text, index) => {
    const file = path.join(dir, String(index))
    if (text !== null) fs.writeFileSync(file, HEAD + text)
    return file
  })
  return createDebuggerDetector(tables).detect(URL).reason
}

test('an established connection to the inspector\'s port is a debugger', t => {
  assert.equal(reasonBy(t, NOBODY + DEBUGGER, ''), CONNECTED)
  assert.equal(reasonBy(t, NOBODY, DEBUGGER_6), CONNECTED)
  assert.equal(reasonBy(t, NOBODY + DEBUGGER, null), CONNECTED)
})

test('listeners, closed connections and the other end of a connection are not debuggers', t => {
  assert.equal(reasonBy(t, NOBODY + LEAVING + CLIENTS_END, ''), null)
  assert.equal(reasonBy(t, NOBODY, null), null)
  assert.equal(reasonBy(t, '', ''), null)
})

test('a system without the table cannot show it', t => {
  assert.match(reasonBy(t, null, null), /open at ws:.* does not tell/)
})

test('it detects again at the inspector of the last call', () => {
  const detector = createDebuggerDetector([path.join(__dirname, 'no-such-table')])
  assert.equal(detector.detectAgain(), undefined)
  const seen = detector.detect(URL)
  assert.equal(seen.url, URL)
  assert.deepEqual(detector.detectAgain(), seen)
})
