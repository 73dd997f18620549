'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { FORMATS } = require('../../lib/formats/formats')
const { craft, readRecorded } = require('../fixtures/profiles/profiles')

function report (profile, context = {}) {
  return FORMATS.text.encode(profile, { appRoot: '/app', ...context }).toString()
}

test('names the call that took the time first and the handler that called it next', () => {
  const text = report(craft([
    [['handle', 'node:pbkdf2Sync', 'native:run'], 900_000],
    [['handle'], 100_000]
  ]))
  assert.match(text, /900\.0 {2}90\.0% {2}pbkdf2Sync node:internal\/thing:\d+\n +900\.0 100\.0% {4}handle app\.js:\d+\n/)
  assert.doesNotMatch(text, /\brun\b/)
})

test('sums up by kind, in percent of the time that was not idle', () => {
  const text = report(craft([[['work'], 300_000], [['node:wrap', 'native:read'], 100_000], [['(garbage collector)'], 100_000], [['(idle)'], 500_000]]))
  assert.match(text, /300\.0 {2}60\.0% {2}JavaScript/)
  assert.match(text, /100\.0 {2}20\.0% {2}native/)
  assert.match(text, /100\.0 {2}20\.0% {2}GC/)
  assert.match(text, /500\.0 +- {2}idle \(50\.0% of the whole time\)/)
})

test('what the event loop did outside JavaScript is a line of its own, and no native time', () => {
  const text = report(craft([[['work'], 200_000], [['(program)'], 100_000], [['(event loop I/O)'], 300_000], [['(idle)'], 400_000]]))
  assert.match(text, /100\.0 {2}16\.7% {2}native/)
  assert.match(text, /300\.0 {2}50\.0% {2}event loop I\/O/)
  assert.match(text, /400\.0 +- {2}idle \(40\.0% of the whole time\)/)
})

test('leaves out callers under 2 % and states how much the rare functions took', () => {
  const rare = ['one', 'two', 'three', 'four', 'five', 'six'].map(name => [[name], 2000])
  const text = report(craft([[['often', 'work'], 986_000], [['seldom', 'work'], 2000], ...rare]))
  assert.match(text, /often/)
  assert.doesNotMatch(text, /seldom/)
  assert.match(text, /four/, 'five functions are always shown')
  assert.doesNotMatch(text, /five/)
  assert.match(text, /4\.0 {3}0\.4% {2}everything else: functions under 1 % \(2\)/)
})

test('ends a recursion after twelve callers', () => {
  const stack = Array.from({ length: 200 }, () => 'descend')
  const rows = report(craft([[stack, 500_000]])).match(/.* descend .*/g)
  assert.equal(rows.length, 13)
  assert.match(rows.at(-1), /, and its callers$/)
})

test('puts a run of other people\'s frames into one line, and keeps branches', () => {
  const text = report(craft([
    [['node:a', 'node:b', 'handle', 'node:c', 'node:d', 'work'], 600_000],
    [['node:a', 'node:x', 'other', 'node:c', 'node:d', 'work'], 400_000]
  ]))
  const rows = text.split('\n').filter(line => /^ +\d+\.\d/.test(line)).slice(-6).map(line => line.replace(/:\d+$/, '').slice(20))
  assert.deepEqual(rows, [
    'work app.js',
    '  (2 frames of node)',
    '    handle app.js',
    '      (2 frames of node)',
    '    other app.js',
    '      (2 frames of node)'
  ])
})

test('has title, time, notes and the hottest line', () => {
  const profile = craft([[['work'], 100_000]])
  profile.nodes[1].positionTicks = [{ line: 41, ticks: 1 }, { line: 44, ticks: 9 }]
  const text = report(profile, { title: 'shop', startedAt: Date.UTC(2026, 0, 2), notes: ['shorter than asked'] })
  assert.match(text, /^shop\nfrom 2026-01-0\d \d\d:\d\d:\d\d [+-]\d\d:\d\d, 0\.10 s, 1 samples\nNote: shorter than asked\n/)
  assert.match(text, /work app\.js:\d+, mostly line 44/)
})

test('lets no name break a line or speak to the terminal', () => {
  const text = report(craft([[['evil\n\u001b[31mname'], 10_000]]), { title: 'a\nb' })
  assert.doesNotMatch(text, /\u001b|^name|^b/m) // eslint-disable-line no-control-regex
})

test('says when there are no samples', () => {
  assert.match(report(craft([])), /no samples/)
})

for (const { name, profile } of readRecorded()) {
  test(`finds the three handlers and their work in ${name}`, () => {
    const text = report(profile)
    assert.match(text, /pbkdf2Sync node:internal\/crypto\/pbkdf2:\d+\n.*100\.0% {4}login routes\.js:9\n.*frames of router, express, node\)/)
    assert.match(text, /parseReport routes\.js:14, mostly line 16/)
    assert.match(text, /\(garbage collector\)/)
  })
}
