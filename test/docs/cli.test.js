'use strict'

// What docs/cli.md lists in sentences: commands that answer for a group, formats, and the file names that select them.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { COMMANDS } = require('../../lib/cli/commands')
const { FORMATS, HEAP_FORMATS, HISTOGRAM_FORMATS } = require('../../lib/formats/formats')
const { readProject } = require('../internal/project')

const PAGE = readProject('docs/cli.md')
const ROWS = PAGE.split('\n').filter(line => line.startsWith('| `'))

test('the commands that take --group are those of its sentence, and those whose rows have it', () => {
  const [, sentence] = /With `--group api` instead of a pid, ([^.]*) answer for all processes/.exec(PAGE)
  const named = [...sentence.matchAll(/`([\w-]+)`/g)].map(([, name]) => name)
  const ofRows = COMMANDS.map(({ name }) => name).filter(name => ROWS.some(row => row.startsWith(`| \`${name} `) && row.includes('--group')))
  const grouped = COMMANDS.filter(({ options }) => 'group' in options).map(({ name }) => name)
  assert.deepEqual([...new Set([...named, ...ofRows])].sort(), grouped.sort())
})

test('the formats of a kind are those of its row', () => {
  for (const [begin, formats] of [['profile <', FORMATS], ['heap <pid\\|name\\|url> --kind profile', HEAP_FORMATS], ['heap <pid\\|name\\|url> --kind histogram', HISTOGRAM_FORMATS]]) {
    const [, list] = /`--format` ([^;]+)/.exec(ROWS.find(row => row.startsWith(`| \`${begin}`)))
    assert.deepEqual(list.replace(/\[(\w+)\]\([^)]*\)/g, '$1').trim().split(', '), Object.keys(formats), begin)
  }
})

test('the extensions that select a format are those of all formats', () => {
  const [, list] = /file name does, after `-o` as after `>`: ([^\n]+)\.\n/.exec(PAGE)
  const extensions = [FORMATS, HEAP_FORMATS, HISTOGRAM_FORMATS].flatMap(formats => Object.values(formats).map(({ extension }) => `.${extension}`))
  assert.deepEqual([...list.matchAll(/`([^`]+)`/g)].map(([, extension]) => extension).sort(), [...new Set(extensions)].sort())
})
