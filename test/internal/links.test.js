'use strict'

// Links between the project's documents. What lies outside the project is not asked for.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { ROOT, listFiles, readProject } = require('./project')

const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...listFiles('docs').filter(file => file.endsWith('.md'))]

/** Targets of `[text](target)` that are no URLs. */
function linksOf (file) {
  const text = readProject(file).replace(/```[\s\S]*?```/g, '')
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target).filter(target => !/^[a-z]+:/.test(target))
}

/** What a heading is called in a link, by the rules of GitHub. */
function anchorsOf (file) {
  const headings = readProject(file).match(/^#+ .*$/gm) ?? []
  return headings.map(heading => heading.replace(/^#+ /, '').toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-'))
}

for (const file of DOCUMENTS) {
  test(`the links of ${file} lead somewhere`, () => {
    for (const link of linksOf(file)) {
      const [target, anchor] = link.split('#')
      const found = target === '' ? file : path.posix.join(path.posix.dirname(file), target)
      assert.ok(fs.existsSync(path.join(ROOT, found)), `${link}: there is no ${found}`)
      if (anchor !== undefined) assert.ok(anchorsOf(found).includes(anchor), `${link}: ${found} has no such heading`)
    }
  })
}
