'use strict'

// The documents as a user has them: no link that leads nowhere in the published package, a README that is read to its end. What
// lies outside the project is not asked for.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { ROOT, listFiles, publishedFiles, readProject } = require('./project')

const README_LINES = 120
const IMAGE_BYTES = 250_000
const PUBLISHED = new Set(publishedFiles())
const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...listFiles('docs').filter(file => file.endsWith('.md'))]

/** Targets of `[text](target)` and of pictures that are no URLs. */
function linksOf (file) {
  const text = readProject(file).replace(/```[\s\S]*?```/g, '')
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target).filter(target => !/^[a-z]+:/.test(target))
}

/** What a heading is called in a link, by the rules of GitHub. */
function anchorsOf (file) {
  const headings = readProject(file).match(/^#+ .*$/gm) ?? []
  return headings.map(heading => heading.replace(/^#+ /, '').toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-'))
}

const pathOf = (file, link) => path.posix.join(path.posix.dirname(file), link.split('#')[0])

for (const file of DOCUMENTS) {
  test(`the links of ${file} lead somewhere`, () => {
    for (const link of linksOf(file)) {
      const [target, anchor] = link.split('#')
      const found = target === '' ? file : pathOf(file, link)
      // What is not published itself, CONTRIBUTING.md, is read beside all the rest.
      const exists = PUBLISHED.has(file) ? PUBLISHED.has(found) : fs.existsSync(path.join(ROOT, found))
      assert.ok(exists, `${link}: there is no ${found}${PUBLISHED.has(file) ? ' in the package' : ''}`)
      if (anchor !== undefined) assert.ok(anchorsOf(found).includes(anchor), `${link}: ${found} has no such heading`)
    }
  })
}

test(`the README has at most ${README_LINES} lines, and begins with the two commands for a fresh checkout`, () => {
  const lines = readProject('README.md').trimEnd().split('\n')
  assert.ok(lines.length <= README_LINES, `it has ${lines.length}`)
  assert.match(lines.slice(0, 10).join('\n'), /```sh\nnpm ci && npm run demo\nnpm test\n```/)
})

test('docs/README.md lists every page and every example', () => {
  const listed = new Set(linksOf('docs/README.md').map(link => pathOf('docs/README.md', link)))
  const pages = DOCUMENTS.filter(file => file.startsWith('docs/') && file !== 'docs/README.md')
  const examples = fs.readdirSync(path.join(ROOT, 'examples'), { withFileTypes: true }).filter(entry => entry.isFile()).map(({ name }) => `examples/${name}`)
  assert.deepEqual([...pages, ...examples].filter(file => !listed.has(file)), [])
})

test('the pictures are shown somewhere, and small', () => {
  const shown = new Set(DOCUMENTS.flatMap(file => linksOf(file).map(link => pathOf(file, link))))
  for (const image of listFiles('docs/images')) {
    assert.ok(shown.has(image), `${image} is in no document`)
    assert.ok(fs.statSync(path.join(ROOT, image)).size <= IMAGE_BYTES, `${image} is too large`)
  }
})
