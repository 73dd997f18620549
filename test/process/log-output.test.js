'use strict'

// The log lines of loopscope go to a descriptor of the application: whatever becomes of it, the application goes on, and ends.

const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { makeScratch } = require('../store/scratch')
const { start } = require('./child')

const LOGGER = JSON.stringify(require.resolve('../../lib/shared/default-logger'))
const { O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants
const LINE = 'x'.repeat(3000)

const logging = (count, then = '') => `
  const logger = require(${LOGGER}).makeLogger({ fd: 3 })
  for (let index = 0; index < ${count}; index++) logger.warn({ index }, ${JSON.stringify(LINE)})
  ${then}`

/** @param {import('node:test').TestContext} t */
function makePipe (t) {
  const file = path.join(makeScratch(t), 'pipe')
  fs.mkdirSync(path.dirname(file), { recursive: true })
  execFileSync('mkfifo', [file])
  const reader = fs.openSync(file, O_RDONLY | O_NONBLOCK)
  const writer = fs.openSync(file, O_WRONLY)
  t.after(() => { for (const fd of [reader, writer]) fs.closeSync(fd) })
  return { file, reader, writer }
}

const ENDS = { 'at its own end': ['', 0], 'by process.exit()': ['process.exit(4)', 4] }

for (const [end, [then, code]] of Object.entries(ENDS)) {
  test(`a process whose log is on a full disk goes on and ends ${end}`, { skip: process.platform !== 'linux' && '/dev/full is of Linux' }, async t => {
    const full = fs.openSync('/dev/full', 'w')
    t.after(() => fs.closeSync(full))
    const app = start(t, ['-e', logging(3, `setTimeout(() => { console.log('went on'); ${then} }, 50)`)], { stdio: [full] })
    assert.deepEqual(await app.ended.then(({ code, stdout }) => [code, stdout]), [code, 'went on\n'])
  })

  test(`a process whose log is a full pipe that nobody reads goes on and ends ${end}`, { skip: process.platform !== 'linux' && 'elsewhere it waits' }, async t => {
    const { file, writer } = makePipe(t)
    const filler = fs.openSync(file, O_WRONLY | O_NONBLOCK)
    assert.throws(() => { for (;;) fs.writeSync(filler, LINE) }, { code: 'EAGAIN' })
    fs.closeSync(filler)
    const app = start(t, ['-e', logging(3, `setTimeout(() => { console.log('went on'); ${then} }, 50)`)], { stdio: [writer] })
    assert.deepEqual(await app.ended.then(({ code, stdout }) => [code, stdout]), [code, 'went on\n'])
  })

  test(`lines that were logged just before the end are written where the process ends ${end}`, async t => {
    const file = path.join(makeScratch(t), 'log')
    fs.mkdirSync(path.dirname(file), { recursive: true })
    const log = fs.openSync(file, 'a')
    t.after(() => fs.closeSync(log))
    assert.equal((await start(t, ['-e', logging(50, then)], { stdio: [log] }).ended).code, code)
    const lines = fs.readFileSync(file, 'utf8').trimEnd().split('\n').map(line => JSON.parse(line))
    assert.deepEqual(lines.map(({ index, msg }) => [index, msg === LINE]).sort(([a], [b]) => a - b), Array.from({ length: 50 }, (_, index) => [index, true]))
  })
}

test('lines that a pipe did not take at once are written whole and in order when it is read', { skip: process.platform === 'win32' && 'no pipes with names' }, async t => {
  const { reader, writer } = makePipe(t)
  const app = start(t, ['-e', logging(100, 'process.once("message", () => process.exit())')], { stdio: [writer, 'ipc'] })
  let text = ''
  const buffer = Buffer.alloc(10_000)
  while (text.split('\n').length <= 100) {
    try {
      text += buffer.toString('utf8', 0, fs.readSync(reader, buffer))
    } catch (error) {
      assert.equal(error.code, 'EAGAIN')
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  }
  assert.deepEqual(text.trimEnd().split('\n').map(line => JSON.parse(line)).map(({ index, msg }) => [index, msg === LINE]), Array.from({ length: 100 }, (_, index) => [index, true]))
  app.child.send('end')
  assert.equal((await app.ended).code, 0)
})
