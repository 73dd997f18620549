'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { lengthOf, workOfLoop } = require('../../lib/observer/stalls/culprit/call-in-source')
const { findCulprit } = require('../../lib/observer/stalls/culprit/find-culprit')
const { profileOf } = require('../recorder/crafted')

// What the file of `callee` has from its line 100 on; of other files nothing is known.
const CALLEE = { name: 'callee', receiver: '', file: 'callee.js', line: 102, column: 5, functionLine: 100, functionColumn: 3 }
const TEXT = ['  function callee (rows) {', '    let sum = 0', '    for (const row of rows) {', '      sum += row', '    }', '    return sum', '  }', 'callee()']
const source = {
  count: () => 1000,
  read: (file, from, to = from) => file === 'callee.js' && from >= 100 ? TEXT.slice(from - 100, to - 99) : []
}

/** A profile that ends with the last function of the stack, with these ticks by line, and stacks with the same functions. */
function createSubject (names, ticks) {
  const profile = profileOf([[names, 900e3]])
  const leaf = profile.nodes.find(({ callFrame }) => callFrame.functionName === names.at(-1).replace(/^.*:/, ''))
  leaf.positionTicks = Object.entries(ticks).map(([line, ticks]) => ({ line: Number(line), ticks }))
  const begins = leaf.callFrame.lineNumber + 1
  const isNode = leaf.callFrame.url.startsWith('node:')
  const caller = {
    name: leaf.callFrame.functionName,
    receiver: '',
    file: isNode ? leaf.callFrame.url : leaf.callFrame.url.replace('file:///app/', ''),
    line: isNode ? 0 : begins + 4,
    column: isNode ? 0 : 9,
    functionLine: isNode ? 0 : begins,
    functionColumn: isNode ? 0 : 1
  }
  return { begins, caller, culpritOf: stacks => findCulprit(profile, { appRoot: '/app', source }, stacks).culprit }
}

test('a function that most stacks had inside the last one of the samples is the culprit where the lines are its own', () => {
  const { caller, culpritOf } = createSubject(['node:emit', 'handler'], { 101: 2, 103: 9 })
  const { function: name, file, line, functionLine, share } = culpritOf([[CALLEE, caller], [CALLEE, caller], [caller]])
  assert.deepEqual([name, file, line, functionLine, share], ['callee', 'callee.js', 103, 100, 1])
})

test('so it is where the lines are that of the call', () => {
  const begins = createSubject(['node:emit', 'handler'], {}).begins
  const { caller, culpritOf } = createSubject(['node:emit', 'handler'], { [begins + 4]: 9 })
  const { function: name, line } = culpritOf([[CALLEE, caller], [CALLEE, caller]])
  assert.deepEqual([name, line], ['callee', 103], 'the line of the loop that does all')
})

test('a function of the application below Node alone is found by the stacks', () => {
  const { caller, culpritOf } = createSubject(['node:processTicksAndRejections'], { 75: 3, 103: 9 })
  assert.equal(culpritOf([]), null)
  const { function: name, line } = culpritOf([[CALLEE, caller], [CALLEE, caller]])
  assert.deepEqual([name, line], ['callee', 103])
})

test('what a stack saw begin after a native call did not take its time', () => {
  const begins = createSubject(['node:emit', 'handler'], {}).begins
  const beginning = { ...CALLEE, line: 100, column: 3 }
  for (const line of [begins + 2, begins + 4]) {
    const { caller, culpritOf } = createSubject(['node:emit', 'handler'], { [line]: 9 })
    assert.equal(culpritOf([[beginning, caller], [beginning, caller]]).function, 'handler')
  }
})

test('what few stacks saw is not the culprit', () => {
  const { caller, culpritOf } = createSubject(['node:emit', 'handler'], { 103: 9 })
  assert.equal(culpritOf([[CALLEE, caller], [caller], [caller]]).function, 'handler')
})

test('code that is named after a template is not named where somebody called it', () => {
  const profile = profileOf([[['node:emit', 'showPage', 'template'], 900e3]])
  for (const url of ['"/app/views/page.ejs"', 'lodash.templateSources[3]', 'evalmachine.<anonymous>', '']) {
    profile.nodes.find(({ callFrame }) => callFrame.functionName === 'template').callFrame.url = url
    assert.equal(findCulprit(profile, { appRoot: '/app' }).culprit.function, 'showPage', url)
  }
  for (const url of ['webpack-internal:///./src/page.js', 'file:///app/views/page.tsx', 'file:///app/bin/page']) {
    profile.nodes.find(({ callFrame }) => callFrame.functionName === 'template').callFrame.url = url
    assert.equal(findCulprit(profile, { appRoot: '/app' }).culprit.function, 'template', url)
  }
})

test('a builtin on another line than the samples is not the call', () => {
  const { begins, caller, culpritOf } = createSubject(['node:emit', 'readBody'], {})
  const builtin = (receiver, name) => ({ name, receiver, file: '', line: 0, column: 0, functionLine: 0, functionColumn: 0 })
  const withTicks = line => createSubject(['node:emit', 'readBody'], { [line]: 9 }).culpritOf([[builtin('RegExp', 'test'), caller]]).call
  assert.deepEqual([withTicks(begins + 1), withTicks(begins + 4)], [null, 'RegExp.test'])
  assert.equal(culpritOf([[builtin('Math', 'hypot'), caller]]).call, null, 'a little work each time')
})

test('the end of a function is found in its source text', () => {
  assert.equal(lengthOf(TEXT), 7)
  assert.equal(lengthOf(['const one = row => row.one', 'const all = () => {', '}']), 1)
  assert.equal(lengthOf(['function run ()', '{', '  walk()', '}', 'run()']), 4)
})

test('the line of a loop that takes the time is known where its head does nothing', () => {
  assert.deepEqual(workOfLoop(TEXT.slice(2)), { line: 1, column: 7 })
  assert.equal(workOfLoop(['while (pattern.exec(text)) {', '  count++', '}']), null)
  assert.equal(workOfLoop(['for (let i = 0; i < n; i++) {', '  one()', '  two()', '}']), null)
  const sending = ['for (const client of clients) {', '  if (!client.isOpen) continue', '  client.send(JSON.stringify(book))', '}', 'return JSON.parse(text)']
  assert.deepEqual(workOfLoop(sending), { line: 2, column: 3 })
  assert.equal(workOfLoop([...sending.slice(0, 3), '  copies.push(structuredClone(book))', '}']), null, 'one of two')
})

test('a function that was compiled into one that was compiled into its caller is found', () => {
  const { caller, culpritOf } = createSubject(['node:emit', 'handler'], { 103: 20, 301: 2 })
  const between = { ...CALLEE, name: 'between', file: 'between.js', line: 301, functionLine: 300, functionColumn: 1 }
  const { function: name, line } = culpritOf([[CALLEE, between, caller], [CALLEE, between, caller]])
  assert.deepEqual([name, line], ['callee', 103])
})
