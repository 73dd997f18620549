'use strict'

// What is read of a map is what a library that decodes all of it reads; and reading takes no more than the script can ask for.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { FlattenMap, decodedMappings, traceSegment } = require('@jridgewell/trace-mapping')
const { encode } = require('@jridgewell/sourcemap-codec')
const fc = require('fast-check')
const { MapReader } = require('../../lib/source-maps/answer')
const { parseMap } = require('../../lib/source-maps/source-map')
const { makeScratch } = require('../store/scratch')

const DIST = path.join(__dirname, '..', 'fixtures', 'source-maps', 'dist')
const GB = 2 ** 30
const bytesOf = map => Buffer.from(JSON.stringify(map))

/** Asks both for a place. */
function assertSame (map, library, line, column) {
  const segment = traceSegment(library, line, column)
  const source = segment === null || segment.length === 1 ? null : library.resolvedSources[segment[1]]
  const found = map.locate({ line, column })
  assert.deepEqual(found && [found.source, found.line, found.column], source ? [source, segment[2], segment[3]] : null, `${line}:${column}`)
}

for (const file of ['tsc/main.js.map', 'esbuild-min/main.js.map', 'webpack/main.js.map', 'webpack/main.min.js.map', 'indexed/main.js.map']) {
  test(`every place of ${file} is the one that it has`, () => {
    const bytes = fs.readFileSync(path.join(DIST, file))
    const map = parseMap(bytes)
    const library = new FlattenMap(JSON.parse(bytes.toString()))
    const lines = decodedMappings(library)
    // Backwards: each question begins anew.
    for (let line = lines.length - 1; line >= 0; line--) {
      for (const [column] of lines[line].toReversed()) for (const near of [column, column + 1]) assertSame(map, library, line, near)
    }
  })
}

test('so it is of any map, however long its lines are', () => {
  const step = fc.tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: 90 }))
  const lines = fc.array(fc.array(step, { maxLength: 40, size: 'max' }), { maxLength: 30, size: 'max' })
  fc.assert(fc.property(lines, fc.integer({ min: 1, max: 200 }), (steps, repeat) => {
    const segments = steps.map(line => {
      let column = 0
      return Array.from({ length: repeat }, () => line).flat().map(([by, ...rest]) => {
        column += by
        return [column, ...rest]
      })
    })
    const given = { version: 3, sources: ['a.ts', 'b.ts', 'c.ts'], names: [], mappings: encode(segments) }
    const map = parseMap(bytesOf(given))
    const library = new FlattenMap(given)
    for (const [line, there] of segments.entries()) {
      for (const [column] of there.filter((_, index) => index % 97 === 0)) for (const near of [column, column + 1]) assertSame(map, library, line, near)
    }
  }), { numRuns: 40 })
})

test('names that stand before a place are found, nearest first', () => {
  const mappings = encode([[[0, 0, 0, 0, 0], [6, 0, 0, 6, 1], [20, 0, 1, 0], [70, 0, 2, 0, 0]]])
  const map = parseMap(bytesOf({ version: 3, sources: ['a.ts'], names: ['first', 'second'], mappings }))
  assert.deepEqual(map.locate({ line: 0, column: 22 }).namesBefore, [{ column: 6, name: 'second' }, { column: 0, name: 'first' }])
  assert.deepEqual(map.locate({ line: 0, column: 60 }).namesBefore, [])
})

test('text that others write otherwise is read: a mark of byte order, a guard, spaces, escapes', () => {
  const map = parseMap(Buffer.from('\uFEFF)]}\'\n {\n "names" : [ ] , "sourcesContent":["a \\" , \\\\"],"sources":["\\u0061.ts"],\n"mappings":"AAAA;AACA,\\/\\/" } '))
  assert.deepEqual(map.locate({ line: 1, column: 0 }), { source: 'a.ts', line: 1, column: 0, namesBefore: [] })
})

test('nothing is kept of lines that the script does not have', t => {
  const folder = makeScratch(t)
  const file = path.join(folder, 'app.js')
  fs.writeFileSync(file, 'function f () {}\n\nf()\n//# sourceMappingURL=app.js.map\n')
  const good = { version: 3, sources: ['a.ts'], names: [], mappings: 'AAAA' }
  const far = { offset: { line: 4_999_999, column: 0 }, map: good }
  for (const [what, map] of Object.entries({
    'one far section': { version: 3, sections: [{ offset: { line: 0, column: 0 }, map: good }, far] },
    'many far sections': { version: 3, sections: [{ offset: { line: 0, column: 0 }, map: good }, ...Array.from({ length: 20_000 }, () => far)] },
    'many lines': { ...good, mappings: 'AAAA' + ';'.repeat(20e6) },
    'many segments on lines that are not there': { ...good, mappings: 'AAAA;;;;;;' + ',AAAA'.repeat(1e6) },
    'many sources, with what was in them': { ...good, sourcesContent: ['x'.repeat(5e6)] }
  })) {
    const map_ = parseMap(bytesOf(map), { maxLines: 5 })
    assert.ok(map_.bytes < 2000, `${what}: ${map_.bytes}`)
    fs.writeFileSync(`${file}.map`, JSON.stringify(map))
    const [{ places: [place] }] = new MapReader().answer({ scripts: [{ url: file, places: [{ line: 0, column: 0, name: 'f' }] }], appRoot: folder, mayBytes: GB })
    assert.deepEqual([place?.line, place?.name], [0, 'f'], what)
  }
})

test('maps that were read are kept while they are asked for, within bounds', t => {
  const folder = makeScratch(t)
  const names = Array.from({ length: 1000 }, (_, index) => `name${index}`)
  const scripts = [0, 1, 2, 3].map(index => {
    const file = path.join(folder, `${index}.js`)
    fs.writeFileSync(file, 'f()')
    fs.writeFileSync(`${file}.map`, JSON.stringify({ version: 3, sources: [`${index}.ts`], names, mappings: 'AAAA' }))
    return { url: file, places: [{ line: 0, column: 0, name: 'f' }] }
  })
  const reader = new MapReader(250_000)
  const ask = index => reader.answer({ scripts: [scripts[index]], appRoot: folder, mayBytes: GB })[0].places[0]?.file
  assert.equal(ask(0), path.join(folder, '0.ts'))
  fs.rmSync(`${scripts[0].url}.map`)
  for (const index of [1, 0, 2, 0, 3]) assert.equal(ask(index), path.join(folder, `${index}.ts`), 'the first is asked for, and kept')
  assert.deepEqual(reader.kept, [scripts[0].url, scripts[3].url])
})
