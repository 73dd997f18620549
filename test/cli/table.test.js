'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { tableLines } = require('../../lib/cli/output/table')

const COLUMNS = [{ title: 'ROUTE', cell: ({ route }) => route }, { title: 'CULPRIT', endsWithLocation: true, cell: ({ culprit }) => culprit }]
const ROW = { route: 'GET /auth', culprit: 'pbkdf2Sync called by checkPassword of the login (src/services/auth.js:29)' }

test('a row fits the width, and keeps the place at its end', () => {
  const [, line] = tableLines(COLUMNS, [ROW], 60)
  assert.equal(line, 'GET /auth  checkPassword of the lo…(src/services/auth.js:29)')
  assert.equal(line.length, 60)
})

test('the function to change, before its place, is whole where there is room for it', () => {
  const culprit = 'pbkdf2Sync called by checkPassword (src/auth.js:29)'
  const shown = width => tableLines(COLUMNS, [{ ...ROW, culprit }], width).at(-1)
  assert.equal(shown(50), 'GET /auth  pbkdf2S… checkPassword (src/auth.js:29)')
  assert.equal(shown(60), 'GET /auth  pbkdf2Sync… checkPassword (src/auth.js:29)', 'no half of the words in between')
  assert.equal(shown(43), 'GET /auth  … checkPassword (src/auth.js:29)')
  assert.equal(shown(30), '    checkPass…(src/auth.js:29)')
})

test('prose in the last column goes on below itself; a path keeps its end', () => {
  const columns = [{ title: 'PID', isNumber: true, cell: ({ pid }) => pid }, { title: 'FINDING', isWrapped: true, cell: ({ finding }) => finding }]
  const row = { pid: '123', finding: 'WARNING: GET /report is busy in JSON.stringify (app.js:19).' }
  assert.deepEqual(tableLines(columns, [row, row], 40).slice(1, 4), ['123  WARNING: GET /report is busy in', '     JSON.stringify (app.js:19).', '123  WARNING: GET /report is busy in'])
  assert.deepEqual(tableLines(columns, [row], 30).slice(2), ['123', '    WARNING: GET /report is', '    busy in JSON.stringify', '    (app.js:19).'])
  assert.deepEqual(tableLines([{ title: 'FOLDER', isPath: true, cell: folder => folder }], ['/srv/shop/releases/42'], 12), ['FOLDER', '…releases/42'])
})

test('a row that fits is not cut', () => {
  assert.deepEqual(tableLines(COLUMNS, [ROW]), ['ROUTE      CULPRIT', `GET /auth  ${ROW.culprit}`])
})

test('what has no room in its row stands below it, and keeps the end of its place', () => {
  assert.deepEqual(tableLines(COLUMNS, [ROW], 40), ['ROUTE', '    CULPRIT', 'GET /auth', '    checkPassw…(src/services/auth.js:29)'])
  assert.deepEqual(tableLines(COLUMNS, [ROW], 20).slice(2), ['GET /auth', '    checkPas….js:29)'])
})

test('numbers that have no room in their row stand beside each other below it', () => {
  const columns = ['RSS', 'HEAP', 'CODE', 'NATIVE'].map(title => ({ title, isNumber: true, cell: row => row[title] }))
  const rows = [{ RSS: '125.4 MB', HEAP: '14.1 MB', CODE: '59.9 MB', NATIVE: '18.0 MB' }, { RSS: '99.4 MB', HEAP: '9.1 MB', CODE: '58.0 MB', NATIVE: '6.3 MB' }]
  assert.deepEqual(tableLines(columns, rows, 24), [
    '     RSS     HEAP', '       CODE   NATIVE',
    '125.4 MB  14.1 MB', '    59.9 MB  18.0 MB',
    ' 99.4 MB   9.1 MB', '    58.0 MB   6.3 MB'
  ])
})

test('a text without a place is cut at its end, the widest first; numbers, times and names to copy are whole', () => {
  const columns = [
    { title: 'MADE', isWhole: true, cell: ({ at }) => at },
    { title: 'SIZE', isNumber: true, cell: ({ size }) => size },
    { title: 'WHY', cell: ({ why }) => why },
    { title: 'WHO', cell: ({ who }) => who }
  ]
  const row = { at: '2026-11-21 14:41:39', size: '123.4 MB', why: 'because somebody asked for it', who: 'a shop' }
  assert.equal(tableLines(columns, [row], 50)[1], '2026-11-21 14:41:39  123.4 MB  because so…  a shop')
  assert.equal(tableLines([{ title: 'NAME', isWhole: true, cell: ({ who }) => who.repeat(9) }], [row], 10)[1], 'a shop'.repeat(9))
})

test('no line is wider than the room, whatever is in the rows', () => {
  const columns = [1, 2, 3, 4].map(size => ({ title: `T${size}`, endsWithLocation: size === 2, cell: ({ text }) => text.repeat(size * 3) }))
  for (const width of [60, 80, 120]) {
    for (const line of tableLines(columns, [{ text: 'word ' }, { text: 'x' }], width)) assert.ok(line.length <= width, `${width}: ${line}`)
  }
})
