'use strict'

// One set of codes: in the tables of lib/base, in docs/errors.md and in types/errors.d.ts.

const test = require('node:test')
const assert = require('node:assert/strict')
const { errors, fromPlain, toPlain } = require('../../lib/base/errors')
const { WARNINGS } = require('../../lib/base/warnings')
const { listFiles, readProject } = require('./project')

const TABLES = ['lib/base/errors.js', 'lib/base/warnings.js']

/** Sections of the document whose heading is a code. */
const sections = new Map(readProject('docs/errors.md').split('\n### ').slice(1).map(text => {
  const [heading, ...rest] = text.split('\n')
  return [heading, rest.join('\n')]
}))

test('docs/errors.md has a section for every error and every warning, in the order of the tables', () => {
  assert.deepEqual([...sections.keys()], [...Object.keys(errors), ...Object.keys(WARNINGS)])
})

test('every section has its occasion and its remedy', () => {
  for (const [code, text] of sections) {
    assert.match(text, /\*\*When:\*\* \S/, code)
    assert.match(text, /\n\*\*What to do:\*\* \S/, code)
  }
})

test('types/errors.d.ts declares the codes of the errors', () => {
  const declared = readProject('types/errors.d.ts').match(/'ERR_\w+'/g).map(code => code.slice(1, -1))
  assert.deepEqual(declared, Object.keys(errors))
})

test('an error has its code and the class that the document names, also after the way between the threads', () => {
  for (const [code, Coded] of Object.entries(errors)) {
    const error = new Coded()
    const [, base] = /^\n`(\w+)`\./.exec(sections.get(code))
    for (const met of [error, fromPlain(structuredClone(toPlain(error)))]) {
      assert.ok(met instanceof Coded)
      assert.ok(met instanceof globalThis[base])
      assert.deepEqual([met.name, met.code, met.message], [`${base} [${code}]`, code, error.message])
    }
  }
})

test('every code is in use, and every code in use is in a table', () => {
  const sources = listFiles('lib').filter(file => file.endsWith('.js') && !TABLES.includes(file)).map(readProject).join('\n')
  const code = sources.replace(/\/\*[\s\S]*?\*\//g, '')
  const used = new Set(code.match(/\b(?:ERR_LOOPSCOPE|LOOPSCOPE_WARN)_[A-Z_]+\b/g))
  assert.deepEqual([...used].sort(), [...sections.keys()].sort())
})

test('what was passed can neither control a terminal nor fill it', () => {
  const { message } = new errors.ERR_LOOPSCOPE_UNKNOWN_OPTION(`LOOPSCOPE_SIGNALS.\u001B[31m${'a'.repeat(100_000)}`, 'valid options', 'SIGUSR2')
  assert.match(message, /^LOOPSCOPE_SIGNALS\.\uFFFD\[31ma+… is not an option; valid options: SIGUSR2$/)
  assert.ok(message.length < 5000)
})
