'use strict'

// The thread that reads maps: one for all questions, when it may run, and its end.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { createCpuBudget } = require('../../lib/source-maps/cpu-budget')
const { MapThread } = require('../../lib/source-maps/map-thread')
const { SourceMaps } = require('../../lib/source-maps/source-maps')
const { makeScratch } = require('../store/scratch')

const frameOf = (url, line = 5) => ({ functionName: 'f', scriptId: '1', url, lineNumber: line, columnNumber: 6 })
const answerAll = ({ scripts }) => scripts.map(({ places }) => ({ hasMap: true, problem: null, places: places.map(({ line }) => ({ file: '/app/a.ts', line: line + 100, column: 0, name: 'f' })) }))

async function waitUntil (isThere) {
  while (!isThere()) await sleep(10)
}

test('one thread answers all questions, reports its CPU time, and ends when there are no more', async t => {
  const folder = makeScratch(t)
  const file = path.join(folder, 'a.js')
  fs.writeFileSync(file, 'f()')
  fs.writeFileSync(`${file}.map`, JSON.stringify({ version: 3, sources: ['a.ts'], names: [], mappings: 'AAAA' }))
  let cpuMs = 0
  const thread = new MapThread({ idleMs: 300, onCpu: ms => { cpuMs += ms } })
  const question = { scripts: [{ url: file, places: [{ line: 0, column: 0, name: 'f' }] }], appRoot: folder }
  const pids = new Set()
  for (let round = 0; round < 3; round++) {
    const [{ places: [place] }] = await thread.ask(question)
    assert.equal(place.file, path.join(folder, 'a.ts'))
    pids.add(thread.threadPid)
    assert.deepEqual([...thread.kept], [file])
  }
  assert.equal(pids.size, 1)
  assert.ok(cpuMs > 0)
  await waitUntil(() => !thread.running)
  assert.deepEqual([thread.threadPid, thread.kept.size], [null, 0])
  await thread.ask(question) // it is started again
  await waitUntil(() => !thread.running)
})

test('what several want while it reads is one question', async () => {
  const asked = []
  let answer = () => {}
  const maps = new SourceMaps({
    isOn: true,
    appRoot: '/app',
    onProblem: () => {},
    ask: async question => {
      asked.push(question.scripts.map(({ url, places }) => [url, places.length]))
      await new Promise(resolve => { answer = resolve })
      return answerAll(question)
    }
  })
  const first = maps.frames([frameOf('/app/a.js')])
  await waitUntil(() => asked.length === 1)
  const others = [maps.frames([frameOf('/app/a.js', 6)]), maps.frames([frameOf('/app/a.js', 7), frameOf('/app/b.js')]), maps.frames([frameOf('/app/a.js')])]
  answer()
  await waitUntil(() => asked.length === 2)
  answer()
  const [[frame], ...rest] = await Promise.all([first, ...others])
  assert.equal(frame.lineNumber, 105)
  assert.deepEqual(rest.flat().map(({ lineNumber }) => lineNumber), [106, 107, 105, 105])
  assert.deepEqual(asked, [[['/app/a.js', 1]], [['/app/a.js', 2], ['/app/b.js', 1]]])
})

test('while maps may not be read no caller waits for them, and later they are read; a waiting caller\'s is read at once', async () => {
  let may = false
  let learned = 0
  const about = []
  const maps = new SourceMaps({
    isOn: true,
    appRoot: '/app',
    onProblem: () => {},
    mayStart: told => {
      about.push(told)
      return may
    },
    onLearned: async () => { learned++ },
    ask: async question => answerAll(question)
  })
  const frames = [frameOf('/app/a.js')]
  assert.deepEqual(await maps.frames(frames, { maxMs: 60_000 }), frames)
  assert.equal(maps.isKnown({ frames }), false)
  assert.equal(about[0].isRead, false)
  may = true
  await waitUntil(() => learned === 1)
  assert.ok(about.at(-1).waitedMs >= 900, 'it was asked again after a while')
  assert.equal(maps.isKnown({ frames }), true)
  may = false
  const [asked] = await maps.frames([frameOf('/app/a.js', 9)], { isAsked: true })
  assert.equal(asked.lineNumber, 109)
  const later = [frameOf('/app/b.js')]
  await maps.frames(later)
  assert.equal(maps.isKnown({ frames: later }), false)
  await maps.frames(frames, { isAsked: true })
  assert.equal(maps.isKnown({ frames: later }), true, 'a caller whose own positions are known also has those that others wait for read')
  assert.equal(learned, 3, 'what was shown without them is corrected before the caller goes on')
})

test('a share of a processor is given over a minute, and what was taken beyond it is waited for', () => {
  let nowMs = 0
  const budget = createCpuBudget({ share: 0.02, now: () => nowMs })
  budget.take(1199)
  assert.equal(budget.isOpen, true, 'a minute of it is there at first')
  budget.take(601)
  assert.equal(budget.isOpen, false)
  nowMs = 29_000
  assert.equal(budget.isOpen, false)
  nowMs = 31_000
  assert.equal(budget.isOpen, true)
  nowMs = 1e9
  budget.take(1200)
  assert.equal(budget.isOpen, false, 'no more than a minute is saved up')
  assert.equal(budget.takenMs, 3000)
})
