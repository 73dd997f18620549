'use strict'

// docs/recipes.md as a reader follows it: from an empty folder, each command as it is written, and each output as it is shown, but for
// figures.

const { test } = require('node:test')
const { blocksOf } = require('./pages')
const { makeReader } = require('./reader')

test('the stories of docs/recipes.md', { skip: process.platform !== 'linux' && 'the page was written on Linux' }, async t => {
  const blocks = blocksOf('docs/recipes.md')
  const reader = await makeReader(t)
  for (const story of new Set(blocks.map(({ heading }) => heading))) {
    await t.test(story, () => reader.follow(blocks.filter(({ heading }) => heading === story)))
  }
})
