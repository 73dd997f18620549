'use strict'

// Every API of the table, with and without the detector: the same function to look at and to call.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { inspect } = require('node:util')
const { listTargets, propertyOf } = require('../../lib/probe/sync-calls/targets')
const { startDetector } = require('./started')
const { ARGUMENTS, RECEIVERS, VARYING } = require('./valid-calls')

const LIB = path.join(__dirname, '..', '..', 'lib')
const targets = listTargets()
const every = targets.map(({ api }) => api)

/** A directory as valid-calls.js describes it. */
function makeScene (t) {
  const dir = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-test-'))
  fs.writeFileSync(path.join(dir, 'file'), 'text')
  fs.mkdirSync(path.join(dir, 'folder'))
  fs.symlinkSync('file', path.join(dir, 'symlink'))
  const descriptor = fs.openSync(path.join(dir, 'file'), 'r+')
  t.after(() => {
    try { fs.closeSync(descriptor) } catch {} // fs.closeSync was the API
    fs.rmSync(dir, { recursive: true })
  })
  return { dir, descriptor }
}

/** What came of a call, as far as it must not change. */
function outcomeOf (target, receiver, args, dir = 'no directory') {
  const { holder, name } = propertyOf(target)
  try {
    const result = Reflect.apply(holder[name], receiver ?? holder, args)
    return { result: VARYING.has(target.api) ? kindOf(result) : inspect(result).replaceAll(dir, 'DIR') }
  } catch (error) {
    const stack = error.stack.split('\n').filter(line => /^\s+at /.test(line))
    return {
      class: error.constructor,
      name: error.name,
      code: error.code,
      errno: error.errno,
      message: error.message.replaceAll(dir, 'DIR'),
      ours: stack.filter(line => line.includes(LIB)),
      top: stack.slice(0, stack.findIndex(line => line.includes(__filename)) + 1).map(placeIn)
    }
  }
}

/** V8 writes `[as gzipSync]` where it finds the function on its receiver, and the wrapper is found there instead. */
function placeIn (line) {
  return line.match(/[^\s(]+:\d+:\d+/)?.[0] ?? 'built in'
}

function kindOf (value) {
  if (value === null || typeof value !== 'object') return typeof value
  return [value.constructor?.name, value.length, Object.keys(value).length]
}

/** The same line of this file with and without the detector, so that stacks can be compared. */
function compare (t, target, call) {
  const outcomes = []
  for (const isWatched of [false, true]) {
    const detector = isWatched ? startDetector(t, { apis: every }) : null
    outcomes.push(call())
    detector?.stop()
  }
  assert.deepEqual(outcomes[1], outcomes[0], target.api)
  return outcomes[1]
}

test('a watched function has the name, length, prototype and properties of the original', t => {
  const before = targets.map(target => look(target))
  startDetector(t, { apis: every })
  for (const [index, target] of targets.entries()) {
    const after = look(target)
    assert.notEqual(after.value, before[index].value, `${target.api} is watched`)
    assert.deepEqual(after.rest, before[index].rest, target.api)
  }
})

test('the text of a watched function is the one of the original, and of the function that gives it as well', t => {
  const { toString } = Function.prototype
  const before = targets.map(target => String(propertyOf(target).holder[propertyOf(target).name]))
  startDetector(t, { apis: every })
  for (const [index, target] of targets.entries()) {
    const { holder, name } = propertyOf(target)
    assert.equal(String(holder[name]), before[index], target.api)
    assert.equal(Function.prototype.toString.call(holder[name]), before[index], target.api)
  }
  assert.equal(String(Date.prototype.constructor), 'function Date() { [native code] }')
  assert.equal(String(Function.prototype.toString), 'function toString() { [native code] }')
  assert.equal(String(look), toString.call(look))
  assert.throws(() => Function.prototype.toString.call({}), error => error instanceof TypeError && !error.stack.includes(LIB))
})

test('stop() gives Function.prototype.toString back', t => {
  const { toString } = Function.prototype
  const detector = startDetector(t, { apis: every })
  assert.notEqual(Function.prototype.toString, toString)
  detector.stop()
  assert.equal(Function.prototype.toString, toString)
})

function look (target) {
  const { holder, name } = propertyOf(target)
  const { value, ...descriptor } = Object.getOwnPropertyDescriptor(holder, name)
  const watchedOnes = ['native', 'now'] // have rows of their own
  const own = Reflect.ownKeys(value).map(key => [key, watchedOnes.includes(key) ? null : Object.getOwnPropertyDescriptor(value, key)])
  return { value, rest: { descriptor, own, prototype: Object.getPrototypeOf(value), text: inspect(value) } }
}

for (const target of targets) {
  test(`${target.api} does what it does unwatched`, t => {
    const argumentsOf = ARGUMENTS[target.api]
    if (argumentsOf !== undefined) {
      const outcome = compare(t, target, () => {
        const scene = makeScene(t)
        return outcomeOf(target, RECEIVERS[target.api]?.(), argumentsOf(scene), scene.dir)
      })
      assert.ok('result' in outcome, `${target.api} succeeds: ${inspect(outcome)}`)
    }
    compare(t, target, () => outcomeOf(target, RECEIVERS[target.api]?.(), [{ isNoArgument: true }]))
    compare(t, target, () => outcomeOf(target, RECEIVERS[target.api]?.(), []))
  })
}

test('the table of valid calls has a row for every API of the Nodes it was written for', { skip: Number(process.versions.node.split('.')[0]) > 26 }, () => {
  // A later minor of Node may have more; what it has must be known when a major is.
  assert.ok(every.filter(api => !Object.hasOwn(ARGUMENTS, api)).length <= 3)
  assert.deepEqual(['fs.readFileSync', 'crypto.pbkdf2Sync', 'zlib.gzipSync', 'child_process.execSync', 'JSON.parse', 'Date.now', 'new Date()'].filter(api => !every.includes(api)), [])
})
