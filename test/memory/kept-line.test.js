'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { keptLineOf } = require('../../lib/observer/memory/sites/kept-line')

/** The line that keeps what the function at the beginning of the text allocates. @param {string} text  @param {string | null} [holder] */
function keptIn (text, holder = null) {
  const lines = text.split('\n')
  const source = { read: (/** @type {string} */ _, /** @type {number} */ from, to = from) => lines.slice(from - 1, to) }
  const found = keptLineOf([{ function: 'f', file: 'app.js', line: 1, column: 1 }], holder, source)
  return found && [found.keptAt.line, found.holder]
}

test('the only line that adds to something outside the function', () => {
  assert.deepEqual(keptIn("(req, res) => {\n  const rows = read(req)\n  cache.set(req.url, rows)\n  res.set('x', 'y')\n  res.end()\n})\nother.set(1, 2)"), [3, 'Map'])
  assert.deepEqual(keptIn('(req, res) => {\n  bus.on("change", () => res.write("x"))\n}'), [2, 'listeners'])
  assert.deepEqual(keptIn('(job) {\n  this.queue.push(job)\n}'), [2, 'Array'])
  assert.deepEqual(keptIn('(id) {\n  sessions[id] = { at: Date.now() }\n}'), [2, 'Map'])
  assert.deepEqual(keptIn("async () => {\n  await once(bus, 'ready')\n}"), [2, 'listeners'])
  assert.equal(keptIn("async (socket) => {\n  await once(socket, 'close')\n}"), null)
  assert.deepEqual(keptIn('() => {\n  setInterval(() => poll(), 1000)\n}'), [2, 'timers'])
  assert.deepEqual(keptIn('() => {\n  return Promise.race([closing, answer()])\n}'), [2, 'promises'])
})

test('what is local, a parameter, or of the request keeps nothing', () => {
  assert.equal(keptIn('(list) {\n  const out = []\n  for (const one of list) out.push(one)\n  return out\n}'), null)
  assert.equal(keptIn('(out, one) => {\n  out.push(one)\n}'), null)
  assert.equal(keptIn('(req, res) => {\n  req.on("data", () => {})\n}'), null)
  assert.equal(keptIn('() => {\n  log("cache.set(1)") // cache.set(1)\n}'), null)
})

test('of several lines none, unless the stack shows what holds it', () => {
  const text = '() => {\n  cache.set(1, rows)\n  queue.push(rows)\n}'
  assert.equal(keptIn(text), null)
  assert.deepEqual(keptIn(text, 'Map'), [2, 'Map'])
})

test('what a collection holds stays named', () => {
  assert.deepEqual(keptIn('() => {\n  const socket = connect()\n  socket.on("error", () => {})\n  open.push(socket)\n}', 'sockets'), [4, 'sockets'])
})

test('the caller is searched where the function itself keeps nothing', () => {
  const lines = ['const read = () => parse()', '', '() => {', '  cache.set(1, read())', '}']
  const source = { read: (/** @type {string} */ _, /** @type {number} */ from, to = from) => lines.slice(from - 1, to) }
  const chain = [{ function: 'read', file: 'app.js', line: 1, column: 14 }, { function: 'handler', file: 'app.js', line: 3, column: 1 }]
  assert.equal(keptLineOf(chain, null, source)?.keptAt.line, 4)
})
