'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const { readBlockedStack } = require('../../lib/probe/blocked-stack')
const { createBlockedStacks } = require('../../lib/observer/stalls/culprit/blocked-stacks')
const { OWN_FOLDER } = require('../../lib/base/own-files')

const MODULE = require.resolve('../../lib/probe/blocked-stack')

function describeFirst () {
  return [3, 1].sort(() => { first ??= readBlockedStack(); return 0 })
}
let first

test('a stack has the calls with their lines, where their functions begin, and the builtins between', () => {
  describeFirst()
  const calls = JSON.parse(first.calls)
  const [comparator, builtin, caller] = calls
  assert.deepEqual(builtin, ['sort', 'Array', '', 0, 0, 0, 0])
  const [name, , file, line, column, functionLine] = caller
  assert.deepEqual([name, file, line, functionLine, column > 0], ['describeFirst', __filename, comparator[3], line - 1, true])
  assert.ok(calls.some(([, , file, line]) => file.startsWith('node:') && line === 0))
})

test('a stack is bounded', () => {
  const deep = depth => depth === 0 ? readBlockedStack() : deep(depth - 1)
  assert.equal(JSON.parse(deep(500).calls).length, 64)
})

const HOSTILE = {
  'a limit of 0': 'Error.stackTraceLimit = 0',
  'no limit': 'delete Error.stackTraceLimit',
  'a prepareStackTrace that throws': 'Error.prepareStackTrace = () => { throw new Error() }',
  'accessors that throw': 'for (const name of ["prepareStackTrace", "stackTraceLimit"]) Object.defineProperty(Error, name, { configurable: true, get () { throw new Error() }, set () { throw new Error() } })',
  'another Error': 'globalThis.Error = class extends Error {}',
  'a toJSON() of all arrays': 'Array.prototype.toJSON = () => "changed"',
  'a toJSON() of all objects': 'Object.prototype.toJSON = () => "changed"',
  'another JSON.stringify()': 'JSON.stringify = () => undefined'
}

const FROZEN = {
  'a frozen Error': 'Object.freeze(Error)',
  'a prepareStackTrace that cannot be replaced': 'Object.defineProperty(Error, "prepareStackTrace", { configurable: false, get () { throw new Error() } })'
}

/** In a process whose Error and JSON it may spoil: the name of the caller, and whether Error's properties are as they were. */
function readIn (spoil) {
  const code = `
    const { readBlockedStack } = require(${JSON.stringify(MODULE)})
    const read = () => JSON.stringify([Object.getOwnPropertyNames(Error), ['prepareStackTrace', 'stackTraceLimit'].map(name => Object.getOwnPropertyDescriptor(Error, name)).map(one => one && [typeof one.get, one.value?.toString()])])
    ${spoil}
    function caller () { return readBlockedStack() }
    const before = read()
    const { calls } = caller()
    console.log(JSON.parse(calls)[0]?.[0] + ' ' + (read() === before))`
  const [name, isSame] = execFileSync(process.execPath, ['-e', code], { encoding: 'utf8' }).trim().split(' ')
  return { name: name === 'undefined' ? null : name, isSame: isSame === 'true' }
}

for (const [what, spoil] of Object.entries(HOSTILE)) {
  test(`${what} is survived, and is as it was afterwards`, () => {
    assert.deepEqual(readIn(spoil), { name: 'caller', isSame: true })
  })
}

for (const [what, spoil] of Object.entries(FROZEN)) {
  test(`with ${what} there is no stack, and no harm`, () => {
    assert.deepEqual(readIn(spoil), { name: null, isSame: true })
  })
}

test('stacks are selected by the time they were read, without loopscope\'s calls', async () => {
  const stacks = createBlockedStacks({ appRoot: '/app' })
  const calls = [
    ['onInterrupt', '', '/elsewhere/bundle.js', 1, 1, 1, 1],
    ['', '', `${OWN_FOLDER}observer/interrupt.js`, 1, 1, 1, 1],
    ['sort', 'Array', '', 0, 0, 0, 0],
    ['login', '', 'file:///app/login.js', 7, 3, 5, 1],
    ['loopscope', '', `${OWN_FOLDER}api/http/middleware.js`, 9, 1, 8, 1]
  ]
  for (const atMicros of [10, 20, 30]) stacks.add({ atMicros, calls: JSON.stringify(calls) })
  stacks.add({ atMicros: 20, calls: '[]' })
  const found = await stacks.toOriginal(stacks.probesBetween(15, 25), 0)
  assert.equal(found.length, 1)
  assert.equal(found[0].atMicros, 20)
  assert.deepEqual(found[0].stack.map(({ name, file, line }) => [name, file, line]), [['sort', '', 0], ['login', 'login.js', 7]])
})

test('calls and the beginnings of their functions have original positions', async () => {
  const asked = []
  const stacks = createBlockedStacks({ appRoot: '/app' }, async frames => {
    asked.push(...frames)
    return frames.map(frame => frame.url === '' ? frame : { ...frame, url: 'file:///app/src/login.ts', lineNumber: frame.lineNumber + 100 })
  })
  stacks.add({ atMicros: 20, calls: JSON.stringify([['sort', 'Array', '', 0, 0, 0, 0], ['login', '', '/app/dist/login.js', 7, 3, 5, 1]]) })
  const [{ stack: [sort, login] }] = await stacks.toOriginal(stacks.probesBetween(15, 25), 0)
  assert.deepEqual([sort.file, sort.line], ['', 0])
  assert.deepEqual(login, { name: 'login', receiver: '', file: 'src/login.ts', line: 107, column: 3, functionLine: 105, functionColumn: 1 })
  assert.equal(asked[2].url, 'file:///app/dist/login.js')
})
