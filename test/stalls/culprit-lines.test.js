'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { builtinOn, findCall, findPackageCall, nameAt } = require('../../lib/observer/stalls/culprit/call-in-source')
const { findCulprit } = require('../../lib/observer/stalls/culprit/find-culprit')
const { profileOf } = require('../recorder/crafted')

// Of crafted frames each begins on a line of its own, at column 1.
const SAMPLES = [[['node:emit', 'handle', 'snapshot', 'dep:cloneDeep', 'dep:baseClone'], 900e3], [['node:emit', 'handle'], 100e3]]

/** ticks: lines of a function, from its beginning on, with their samples */
function createSubject (samples = SAMPLES, ticks = {}) {
  const profile = profileOf(samples)
  for (const node of profile.nodes) {
    const { functionName, lineNumber } = node.callFrame
    if (functionName in ticks) node.positionTicks = ticks[functionName].map(([line, ticks]) => ({ line: lineNumber + 1 + line, ticks }))
  }
  const frameOf = name => profile.nodes.find(({ callFrame }) => callFrame.functionName === name).callFrame
  const fileOf = ({ url }) => url.replace('file:///app/', '')
  return {
    culpritOf: (stacks, source) => findCulprit(profile, { appRoot: '/app', source }, stacks).culprit,
    calledShareOf: source => findCulprit(profile, { appRoot: '/app', source }).calledShare,
    stackOf: stacks => findCulprit(profile, { appRoot: '/app' }, stacks).stack,
    call (name, line, column, receiver = '') {
      const frame = frameOf(name)
      const begins = frame.lineNumber + 1
      return { name, receiver, file: fileOf(frame), line: begins + line, column, functionLine: begins, functionColumn: 1 }
    },
    builtin: (receiver, name) => ({ name, receiver, file: '', line: 0, column: 0, functionLine: 0, functionColumn: 0 }),
    beginOf: name => frameOf(name).lineNumber + 1
  }
}

test('the line is the one at which most stacks had the function call what the samples saw below it', () => {
  const { culpritOf, stackOf, call, beginOf } = createSubject()
  const inClone = line => [call('baseClone', 9, 9), call('cloneDeep', 4, 4), call('snapshot', line, 12), call('handle', 2, 2)]
  const elsewhere = [call('snapshot', 7, 1), call('handle', 2, 2)]
  const culprit = culpritOf([elsewhere, elsewhere, elsewhere, inClone(3), inClone(5), inClone(3)])
  const begins = beginOf('snapshot')
  assert.deepEqual([culprit.function, culprit.line, culprit.column, culprit.functionLine], ['snapshot', begins + 3, 12, begins])
  assert.deepEqual(culprit.via, { package: 'express', function: 'cloneDeep', through: null })
  assert.equal(culpritOf([elsewhere]).line, begins + 7)
  const { line, column } = stackOf([inClone(3)]).find(frame => frame.function === 'snapshot')
  assert.deepEqual([line, column], [begins + 3, 12]) // the stack and the culprit agree
})

test('a stack of another function, or of another one with the same name, moves nothing', () => {
  const { culpritOf, call, beginOf } = createSubject()
  const other = { ...call('snapshot', 3, 3), functionLine: 1 }
  const { line } = culpritOf([[call('handle', 2, 2)], [other], [{ ...other, file: 'other.js', functionLine: beginOf('snapshot') }]])
  assert.equal(line, beginOf('snapshot'))
})

test('a builtin that every second stack was in is the call, with what the framework calls its receiver', () => {
  const samples = [[['node:emit', 'handler', 'dep:json', 'dep:stringify'], 900e3]]
  const { culpritOf, call, builtin } = createSubject(samples)
  const inside = [builtin('JSON', 'stringify'), call('stringify', 1, 1), call('json', 2, 2, 'ServerResponse'), call('handler', 3, 3)]
  const after = [call('json', 4, 4, 'ServerResponse'), call('handler', 3, 3)]
  const { call: called, via } = culpritOf([inside, after])
  assert.deepEqual([called, via], ['JSON.stringify', { package: 'express', function: 'res.json', through: null }])
  assert.equal(culpritOf([inside, after, after, after]).call, null)
})

test('what only passes calls on is not the call; what works while it calls back is', () => {
  const samples = [[['node:emit', 'sortRows', ''], 900e3]]
  const { culpritOf, call, builtin } = createSubject(samples)
  const within = name => [call('', 0, 5), builtin('Array', name), call('sortRows', 2, 8)]
  assert.deepEqual([culpritOf([within('map')]).call, culpritOf([within('sort')]).call], [null, 'Array.sort'])
})

test('the share of a call is that of the lines with it, and of what is called below', () => {
  const lines = ['function copy (rows) {', '  const text = JSON.stringify(rows)', '  const again = JSON.parse(text)', '  return again ?? JSON.parse(text)', '}']
  const ticks = { copy: [[1, 40], [2, 50], [3, 10]] }
  const { culpritOf, calledShareOf, beginOf } = createSubject([[['node:emit', 'copy'], 800e3], [['node:emit', 'copy', 'helper'], 200e3]], ticks)
  const source = { count: () => 1000, read: (file, from) => lines.slice(from - beginOf('copy')) }
  assert.equal(culpritOf([], source).call, 'JSON.parse')
  assert.equal(calledShareOf(source).toFixed(2), '0.48')
  const hashing = createSubject([[['node:emit', 'login', 'node:pbkdf2Sync'], 700e3], [['node:emit', 'login'], 300e3]])
  assert.deepEqual([hashing.culpritOf([]).call, hashing.calledShareOf()], ['pbkdf2Sync', 0.7])
  const rendering = createSubject([[['node:emit', 'page', 'dep:render'], 600e3], [['node:emit', 'page', 'dep:other'], 100e3], [['node:emit', 'page'], 300e3]])
  assert.deepEqual([rendering.culpritOf([]).via.package, rendering.calledShareOf()], ['express', 0.7])
  assert.equal(createSubject([[['node:emit', 'page'], 900e3]]).calledShareOf(), 1)
})

test('where no stack was read inside the call, the source text gives the line', () => {
  const { culpritOf, call, beginOf } = createSubject()
  const begins = beginOf('snapshot')
  const lines = ['function snapshot () {', '  // cloneDeep(state)', '  const copy = cloneDeep(state)', '  return cloneDeep(copy)', '}', 'cloneDeep(other)']
  const source = { count: () => 1000, read: (file, from) => from === begins ? lines : [] }
  assert.deepEqual([culpritOf([], source).line, culpritOf([], source).column], [begins + 2, 16])
  assert.equal(culpritOf([[call('snapshot', 3, 20)]], source).line, begins + 3)
  assert.equal(culpritOf([[call('snapshot', 2, 40)]], source).line, begins + 2)
})

test('without other evidence, a callback written in the function gives the line, and one passed to it does not', () => {
  const { culpritOf, beginOf } = createSubject([[['node:emit', 'sortRows', ''], 600e3], [['node:emit', 'sortRows'], 400e3]])
  const [begins, callback] = [beginOf('sortRows'), beginOf('')]
  assert.ok(callback > begins)
  const bodyOf = lines => ({ count: () => 1000, read: (file, from) => from === begins ? lines : [] })
  const indented = Array(callback - begins).fill('  work')
  assert.equal(culpritOf([], bodyOf(['function sortRows () {', ...indented, '}'])).line, callback)
  assert.equal(culpritOf([], bodyOf(['function sortRows () { return sort() }', ...indented])).line, begins)
})

test('a line at which samples saw the function work says more than its beginning, where stacks are read most', () => {
  const samples = [[['node:emit', 'where', 'node:prepareStackTraceCallback'], 300e3], [['node:emit', 'where'], 300e3], [['node:emit', 'where', 'dep:trim'], 400e3]]
  const { culpritOf, call, beginOf } = createSubject(samples, { where: [[2, 30]] })
  const begins = beginOf('where')
  const at = line => [call('where', line, 8)]
  assert.equal(culpritOf([]).line, begins + 2)
  assert.equal(culpritOf([at(0), at(0)]).line, begins + 2)
  assert.equal(culpritOf([at(4)]).line, begins + 4)
})

test('where functions of Node.js have the time, the line is that of the heaviest, and not one on which the caller itself did less', () => {
  const lines = ['function metrics () {', '  const load = [os.cpus(), process.memoryUsage()]', '  return load', '}']
  const subjectOf = ownMicros => createSubject([[['node:emit', 'metrics', 'node:memoryUsage'], 400e3], [['node:emit', 'metrics', 'node:cpus'], 300e3], [['node:emit', 'metrics'], ownMicros]], { metrics: [[2, 20]] })
  const lineIn = ownMicros => {
    const { culpritOf, beginOf } = subjectOf(ownMicros)
    return culpritOf([], { count: () => 1000, read: (file, from) => lines.slice(from - beginOf('metrics')) }).line - beginOf('metrics')
  }
  assert.deepEqual([lineIn(200e3), lineIn(500e3)], [1, 2])
})

test('a listener without a name does its own work, unless it is written in the function that emits', () => {
  const profile = profileOf([[['replay', 'node:fire', ''], 900e3]])
  const frameOf = name => profile.nodes.find(({ callFrame }) => callFrame.functionName === name).callFrame
  frameOf('fire').url = 'node:events'
  const [begins, listener] = [frameOf('replay').lineNumber + 1, frameOf('').lineNumber + 1]
  const bodyOf = lines => ({ count: () => 1000, read: (file, from) => from === begins ? lines : [], dependsOn: () => false })
  const culpritIn = lines => findCulprit(profile, { appRoot: '/app', source: bodyOf(lines) }).culprit.function
  assert.equal(culpritIn(['function replay () { topic.emit(1) }', 'other()']), '(anonymous)')
  assert.equal(culpritIn(['function replay () {', ...Array(listener - begins).fill('  topic.on(1, () => {})'), '}']), 'replay')
})

test('a short name in another file than a function without a name is what a compiler put around it', () => {
  const profile = profileOf([[['start', 'native:next', ''], 900e3]])
  const { callFrame } = profile.nodes.find(({ callFrame }) => callFrame.functionName === 'start')
  callFrame.url = 'file:///app/dist/app.js'
  const culprit = () => findCulprit(profile, { appRoot: '/app' }).culprit.function
  assert.equal(culprit(), 'start')
  callFrame.functionName = 'i'
  assert.equal(culprit(), '(anonymous)')
})

test('a package function without a telling name has the name in the source text', () => {
  const { culpritOf, call, beginOf } = createSubject([[['node:emit', 'page', 'dep:x'], 900e3]])
  const source = { count: () => 1000, read: (file, line) => line === beginOf('page') + 2 ? ['  return marked.parse(text)'] : [] }
  assert.equal(culpritOf([[call('x', 1, 1), call('page', 2, 17)]], source).via.function, 'parse')
})

test('a function that is all of its module has the name of its file', () => {
  const profile = profileOf([[['node:emit', 'page', 'dep:module.exports'], 900e3]])
  profile.nodes.find(({ callFrame }) => callFrame.functionName === 'module.exports').callFrame.url = 'file:///app/node_modules/jsonwebtoken/sign.js'
  assert.deepEqual(findCulprit(profile, { appRoot: '/app' }).culprit.via, { package: 'jsonwebtoken', function: 'sign', through: null })
})

test('a function that a module exports has its own name, whatever stands before the assignment', () => {
  for (const name of ['exports.render', 'module.exports.render', 'process.env.NODE_ENV.exports.render']) {
    const profile = profileOf([[['node:emit', 'page', `dep:${name}`], 900e3]])
    assert.equal(findCulprit(profile, { appRoot: '/app' }).culprit.via.function, 'render', name)
  }
})

test('where a function of a package has another name inside, the imports of the file give the line and the written name', () => {
  const { culpritOf, beginOf } = createSubject([[['node:emit', 'page', 'dep:x'], 900e3]])
  const begins = beginOf('page')
  const file = ["const web = require('express')", ...Array(begins - 2).fill(''), 'function page () {', '  const found = cache.get(id)', '  return web.parse(text)', '}']
  const source = { count: () => file.length, read: (name, from, to = from) => file.slice(from - 1, to), dependsOn: () => false }
  const { line, column, via } = culpritOf([], source)
  assert.deepEqual([line, column, via.function], [begins + 2, 14, 'parse'])
})

test('a package that is entered at several functions has the only line that calls it', () => {
  const { culpritOf, beginOf } = createSubject([[['node:emit', 'page', 'dep:a'], 300e3], [['node:emit', 'page', 'dep:b'], 350e3], [['node:emit', 'page', 'other'], 250e3]])
  const begins = beginOf('page')
  const file = ["const { DateTime } = require('express')", ...Array(begins - 2).fill(''), 'function page () {', '  const name = other()', '  return DateTime.at(name).format()', '}']
  const source = { count: () => file.length, read: (name, from, to = from) => file.slice(from - 1, to), dependsOn: () => false }
  assert.equal(culpritOf([], source).line, begins + 2)
})

test('in a bundle, where samples have no lines of the code as it was written, the builtin is on the line at which stacks saw the function', () => {
  const { culpritOf, call, builtin, beginOf } = createSubject([[['node:emit', 'formatDay'], 900e3]])
  const source = { count: () => 1000, read: (file, line) => line === beginOf('formatDay') + 1 ? ['  return new Intl.DateTimeFormat(locale).format(at)'] : [] }
  const inside = [builtin('Date', '[Symbol.toPrimitive]'), call('formatDay', 1, 10)]
  assert.equal(culpritOf([inside, inside], source).call, 'Intl.DateTimeFormat')
  assert.equal(culpritOf([inside, inside]).call, null, 'what V8 interrupts does little work itself')
})

test('a function of Node without a name has the name in the source text', () => {
  const { culpritOf, call, beginOf } = createSubject([[['node:emit', 'transform', 'node:'], 900e3]])
  const source = { count: () => 1000, read: (file, line) => line === beginOf('transform') + 1 ? ['  done(null, chunk)'] : [] }
  assert.equal(culpritOf([[call('transform', 1, 3)]], source).call, 'done')
  assert.equal(culpritOf([]).call, null)
})

test('a package is called by the names under which its file has it', () => {
  const find = (heading, ...body) => findPackageCall([heading, 'function run (text) {', ...body, '}', 'parse(other)'], { line: 2, column: 14 }, '@scope/csv')
  const at = { line: 3, column: 10 }
  assert.deepEqual(find("const { parse } = require('@scope/csv/sync')", '  return parse(text)'), at)
  assert.deepEqual(find("import { read as parse } from '@scope/csv'", '  return parse(text)'), at)
  assert.deepEqual(find('import parse, { type Row } from "@scope/csv"', '  return parse(text)'), at)
  assert.deepEqual(find("import * as csv from '@scope/csv'", '  return csv.sync.parse(text)'), { line: 3, column: 19 })
  assert.deepEqual(find("const csv = __importStar(require('@scope/csv'))", '  return csv.parse(text)'), { line: 3, column: 14 })
  assert.equal(find("const { parse } = require('@scope/csv-other')", '  return parse(text)'), null)
  assert.equal(find("const { parse } = require('@scope/csv')", '  return my.parse(text)'), null)
  assert.equal(find("const { parse } = require('@scope/csv')", '  return new parse(text)'), null)
  assert.equal(find("const { parse } = require('@scope/csv')", '  const all = parse(text)', '  return parse(all)'), null, 'of two lines either may be meant')
})

test('a call is found as it is written, no further than the function goes', () => {
  const lines = ['  function run () {', '    // walk()', '    walker(); function walk () {}', '    const one = walk(1)', '  }', '  walk(2)']
  assert.deepEqual(findCall(lines, { line: 10, column: 3 }, 'walk'), { line: 13, column: 17 })
  assert.equal(findCall(lines, { line: 10, column: 3 }, 'walk', { line: 12, column: 1 }), null)
  assert.equal(findCall(['run(); walk()'], { line: 1, column: 8 }, 'run'), null)
})

test('the builtin of a line is named where it is the only one', () => {
  assert.equal(builtinOn('const copy = JSON.parse(JSON.parse(text))'), 'JSON.parse')
  assert.equal(builtinOn('const copy = JSON.parse(JSON.stringify(rows))'), null)
  assert.deepEqual(['row => score(row)', 'row => ({ id: row.id })', 'toRow'].map(callback => builtinOn(`res.end(JSON.stringify(rows.map(${callback}).slice(0, 9)))`)), [null, 'JSON.stringify', 'JSON.stringify'])
  assert.equal(builtinOn('my.JSON.parse(text); structuredCloneAll(rows)'), null)
  assert.equal(builtinOn('const sleep = ms => Atomics.wait(flag, 0, 0, ms)'), 'Atomics.wait')
  assert.deepEqual([builtinOn('const day = new Intl.DateTimeFormat(locale)'), builtinOn('const word = new RegExp(term)'), builtinOn('this.port.postMessage(rows)')], ['Intl.DateTimeFormat', 'RegExp', 'postMessage'])
  assert.deepEqual([nameAt('  x = zlib.gzipSync(text)', 12), nameAt('  x = 1', 3)], ['gzipSync', null])
})
