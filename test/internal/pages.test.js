'use strict'

// The pages have one palette, so that they look alike and are legible in the dark; a color that is missing there does not exist.

const test = require('node:test')
const assert = require('node:assert/strict')
const { listFiles, readProject } = require('./project')

const PALETTE = 'lib/page/shell/palette.css'
const sources = listFiles('lib').filter(file => /^lib\/page\/.*\.(?:css|js)$/.test(file) && file !== PALETTE).map(file => ({ file, text: readProject(file) }))
const definedIn = text => [...text.matchAll(/(--[a-z-]+):/g)].map(([, name]) => name)

test('every color of the palette is there in light and in dark', () => {
  const [light, dark] = readProject(PALETTE).split('@media (prefers-color-scheme: dark)')
  assert.ok(definedIn(light).length > 10)
  assert.deepEqual(definedIn(dark), definedIn(light))
})

test('one color means one thing: no two in a theme are the same', () => {
  for (const theme of readProject(PALETTE).split('@media (prefers-color-scheme: dark)')) {
    const values = [...theme.matchAll(/--[a-z-]+: (#[0-9a-f]{6});/g)].map(([, value]) => value)
    assert.deepEqual(values.filter((value, index) => values.indexOf(value) !== index), [])
  }
})

test('every page takes its colors from the palette', () => {
  const known = [readProject(PALETTE), ...sources.map(({ text }) => text)].flatMap(definedIn)
  for (const { file, text } of sources) {
    const used = [...text.matchAll(/(?:var\(|color\(')(--[a-z-]+)[)']/g)].map(([, name]) => name)
    assert.deepEqual(used.filter(name => !known.includes(name)), [], file)
    assert.deepEqual(text.match(/#[0-9a-f]{3,8}\b(?=[;,\s])/gi) ?? [], [], file)
  }
})
