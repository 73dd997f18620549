'use strict'

// A map is data of whoever built the application. Whatever it holds, the answer is a place or none, soon, and nothing of other files.

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const fc = require('fast-check')
const { MapReader } = require('../../lib/source-maps/answer')
const { MAX_BYTES } = require('../../lib/source-maps/find-map')
const { MapThread } = require('../../lib/source-maps/map-thread')
const { parseMap } = require('../../lib/source-maps/source-map')
const { SourceMaps } = require('../../lib/source-maps/source-maps')
const { makeScratch } = require('../store/scratch')

const GB = 2 ** 30
const PLACES = [{ line: 0, column: 0, name: 'f' }, { line: 0, column: null, name: '' }, { line: 3, column: 7, name: '' }]
const GOOD = { version: 3, sources: ['a.ts'], names: [], mappings: 'AAAA' }

/** The answer about a script whose map is this text, beside it or in it. */
function answerOf (folder, mapText, { script = 'app.js', comment = '//# sourceMappingURL=app.js.map', url, mayBytes = GB } = {}) {
  const file = path.join(folder, script)
  fs.writeFileSync(file, `function f () {}\n\n\n          f()\n${comment}`)
  if (mapText !== null) fs.writeFileSync(path.join(folder, 'app.js.map'), mapText)
  const [answer] = new MapReader().answer({ scripts: [{ url: url ?? file, places: PLACES }], appRoot: folder, mayBytes })
  assert.equal(answer.places.length, PLACES.length)
  return answer
}

test('what is no map is broken, and none of its text is shown', t => {
  const folder = makeScratch(t)
  for (const text of [
    '', 'null', '[]', '5', '{"version":3}', 'root:x:0:0:the secret', '{"sources":["a"],"mappings":5}', '{"sources":"a","mappings":"AAAA"}',
    '{"sources":["a"],"mappings":"A!AA"}', '{"sources":["a"],"mappings":"AA', '{"sources":["a","mappings":"AAAA"}', '{"sources":["a"],"mappings":"A\\u0000"}',
    '{"sections":5}', '{"sections":[null]}', '{"sections":[{"map":{"sources":["a"],"mappings":"AAAA"}}]}',
    '{"sections":[{"offset":{"line":-1,"column":0},"map":{"sources":["a"],"mappings":"AAAA"}}]}',
    '{"sections":[{"offset":{"line":0,"column":0},"map":{"sections":[]}}]}', '['.repeat(1e6)
  ]) {
    const { hasMap, problem, places } = answerOf(folder, text)
    assert.deepEqual([hasMap, places], [false, [null, null, null]], text.slice(0, 60))
    assert.equal(problem, `the map of ${path.join(folder, 'app.js')} is broken`)
  }
})

test('places that are not there are none', t => {
  const folder = makeScratch(t)
  for (const map of [
    { ...GOOD, mappings: 'DDDD' }, { ...GOOD, mappings: `A${'g'.repeat(3)}B` }, { ...GOOD, sources: [] }, { ...GOOD, sources: [null] }, { ...GOOD, sources: [{}, 1] },
    { ...GOOD, mappings: '' }, { ...GOOD, mappings: 'A' }, { ...GOOD, sources: ['x'.repeat(1e6)] }, { ...GOOD, sources: ['a\u001b[2J'] },
    { sections: [] }, { sections: [{ offset: { line: 4e8, column: 1e9 }, map: GOOD }] }, { ...GOOD, mappings: 'gggggggggggggggg' }
  ]) {
    assert.deepEqual(answerOf(folder, JSON.stringify(map)), { hasMap: true, problem: null, places: [null, null, null] })
  }
  assert.equal(answerOf(folder, JSON.stringify({ ...GOOD, names: [{}], mappings: 'AAAAA' })).places[0].name, 'f')
})

test('a map may be named nowhere but in a file', t => {
  const folder = makeScratch(t)
  const none = { hasMap: false, problem: null, places: [null, null, null] }
  for (const url of ['http://127.0.0.1:1/app.js.map', 'https://example.com/x.map', '//example.com/x.map', 'ftp://example.com/x']) {
    assert.deepEqual(answerOf(folder, JSON.stringify(GOOD), { comment: `//# sourceMappingURL=${url}` }), none)
  }
  for (const url of ['/dev/zero', '/proc/self/environ', '.', 'missing.map', '%E0%A4%A']) {
    assert.deepEqual(answerOf(folder, null, { comment: `//# sourceMappingURL=${url}` }).places, [null, null, null])
  }
  const { problem } = answerOf(folder, null, { comment: '//# sourceMappingURL=../../../../../../../../etc/passwd' })
  assert.doesNotMatch(String(problem), /root|Unexpected|JSON/)
  for (const url of ['node:fs', 'webpack-internal:///x.js', 'evalmachine.<anonymous>', 'wasm://wasm/1', 'file://server/x.js', 'file:///no%00where', folder]) {
    assert.deepEqual(answerOf(folder, JSON.stringify(GOOD), { url }).places, [null, null, null])
  }
})

test('a source that is elsewhere is a name, and is not read', t => {
  const folder = makeScratch(t)
  fs.mkdirSync(path.join(folder, 'node_modules', 'pkg'), { recursive: true })
  const fileOf = (source, options) => answerOf(folder, JSON.stringify({ ...GOOD, sources: [source] }), options).places[0]?.file ?? null
  assert.equal(fileOf('a.ts'), path.join(folder, 'a.ts'))
  assert.equal(fileOf('webpack://shop/./src/a.ts?f3a1'), path.join(folder, 'src', 'a.ts'))
  assert.equal(fileOf('webpack:///external "fs"'), 'external "fs"')
  assert.equal(fileOf('../../nowhere/b.ts'), 'nowhere/b.ts')
  assert.equal(fileOf('file:///srv/shop/src/b.ts'), 'srv/shop/src/b.ts')
  assert.equal(fileOf('/dev/zero'), 'dev/zero')
  assert.equal(fileOf('../../../../../../../../../etc/passwd'), 'etc/passwd')
  fs.writeFileSync(path.join(folder, 'node_modules', 'pkg', 'app.js.map'), JSON.stringify({ ...GOOD, sources: ['../../src/a.ts'] }))
  assert.equal(fileOf('ignored', { script: 'node_modules/pkg/app.js' }), null, "a package's code stays a package's")
})

test('a map that is too large, for its limit or for the memory that is left, is not read', t => {
  const folder = makeScratch(t)
  const map = path.join(folder, 'app.js.map')
  fs.writeFileSync(map, '')
  fs.truncateSync(map, MAX_BYTES + 1)
  assert.match(answerOf(folder, null).problem, /app\.js\.map has 105 MB, and at most 105 MB are read/)
  fs.truncateSync(map, 50e6)
  assert.match(answerOf(folder, null, { mayBytes: 100e6 }).problem, /needs 125 MB of memory, and 100 MB may be taken/)
})

const MANY = 3e6

for (const [what, text] of Object.entries({
  'members that no map has': () => `{${Array.from({ length: MANY }, (_, index) => `"${index.toString(36)}":1,`).join('')}"mappings":"AAAA","sources":["a.ts"]}`,
  'a root that is a list of objects': () => `{"sourceRoot":[${'{},'.repeat(MANY)}{}],"mappings":"AAAA","sources":["a.ts"]}`,
  'an offset with more in it': () => `{"sections":[{"offset":{"line":0,"column":0,"more":[${'{},'.repeat(MANY)}{}]},"map":{"mappings":"AAAA","sources":["a.ts"]}}]}`,
  'very many names at one place': () => `{"mappings":"AAAAA${',AAAAA'.repeat(MANY)}","sources":["a.ts"],"names":["f"]}`
})) {
  test(`a map with ${what} is read within a multiple of its length`, t => {
    const file = path.join(makeScratch(t), 'map.js')
    fs.writeFileSync(file, text())
    const { status, stdout } = spawnSync(process.execPath, ['--max-old-space-size=100', '--expose-gc', '-e', `
      const { parseMap } = require(${JSON.stringify(require.resolve('../../lib/source-maps/source-map'))})
      console.log(JSON.stringify(parseMap(require('node:fs').readFileSync(process.argv[1])).locate({ line: 0, column: 30 })))`, file])
    assert.equal(status, 0, 'the names, members or objects of it fill the memory')
    const { source, line, namesBefore } = JSON.parse(String(stdout))
    assert.deepEqual([source, line, namesBefore.length <= 1], ['a.ts', 0, true])
  })
}

test('sections count with what is kept of each, however short they are', () => {
  const section = '{"offset":{"line":0,"column":0},"map":{"mappings":"AAAA","sources":["a"]}}'
  const text = `{"sections":[${Array(10_000).fill(section).join()}]}`
  assert.throws(() => parseMap(Buffer.from(text), { mayBytes: 10e6 }), RangeError)
})

test('the lines of a script are found without all of them being text', t => {
  const folder = makeScratch(t)
  const file = path.join(folder, 'app.js')
  const lines = 5_000_000
  fs.writeFileSync(file, `${'\n'.repeat(lines)}  exports.g = function () {}\n//# sourceMappingURL=app.js.map`)
  fs.writeFileSync(`${file}.map`, JSON.stringify({ ...GOOD, names: ['original'], mappings: `${';'.repeat(lines)}U${'A'.repeat(4)}` }))
  const reader = new MapReader()
  const [{ places, problem }] = reader.answer({ scripts: [{ url: file, places: [{ line: lines, column: 24, name: 'exports.g' }, { line: lines + 9, column: 0, name: 'h' }] }], appRoot: folder, mayBytes: GB })
  assert.equal(problem, null)
  assert.deepEqual(places.map(place => place?.name ?? null), ['exports.original', null])
})

test('any text is a map that is broken, or one with positions', t => {
  const folder = makeScratch(t)
  const mappings = fc.string({ unit: fc.constantFrom('A', 'C', 'D', 'g', 'z', '/', ',', ';', ' ', '!', 'é'), maxLength: 60 })
  const part = fc.record({
    version: fc.constant(3),
    sources: fc.array(fc.oneof(fc.constant('a.ts'), fc.webUrl(), fc.string(), fc.constant(null))),
    names: fc.oneof(fc.array(fc.string()), fc.anything()),
    sourceRoot: fc.oneof(fc.constant(undefined), fc.string(), fc.constant('/')),
    mappings
  }, { requiredKeys: [] })
  const sections = fc.array(fc.record({ offset: fc.record({ line: fc.integer(), column: fc.integer({ min: 0 }) }), map: part }))
  fc.assert(fc.property(fc.oneof(part, fc.record({ sections }), fc.jsonValue()), map => {
    for (const place of answerOf(folder, JSON.stringify(map) ?? '').places) {
      if (place === null) continue
      assert.ok(place.line >= 0 && place.column >= 0 && typeof place.file === 'string' && typeof place.name === 'string')
    }
  }), { numRuns: 500 })
})

test('a thread that takes too long is ended, and its scripts are asked for one by one, once', async t => {
  // More than a thread that has just started can answer meanwhile.
  const scripts = Array.from({ length: 50_000 }, (_, index) => ({ url: `/nowhere/${index}.js`, places: PLACES }))
  await assert.rejects(new MapThread({ maxMs: 1 }).ask({ scripts, appRoot: '' }), /ended without an answer/)

  const asked = []
  const problems = []
  const maps = new SourceMaps({
    isOn: true,
    appRoot: '/app',
    onProblem: problem => problems.push(problem),
    ask: async ({ scripts }) => {
      asked.push(scripts.map(({ url }) => url))
      if (scripts.some(({ url }) => url === '/app/bad.js')) throw new Error('out of memory')
      return scripts.map(({ places }) => ({ hasMap: true, problem: null, places: places.map(() => ({ file: '/app/good.ts', line: 1, column: 2, name: 'written' })) }))
    }
  })
  const frames = ['/app/good.js', '/app/bad.js'].map(url => ({ functionName: 'f', scriptId: '1', url, lineNumber: 5, columnNumber: 6 }))
  const shown = await maps.frames(frames)
  assert.deepEqual(shown.map(({ url, functionName }) => [url, functionName]), [['/app/good.ts', 'written'], ['/app/bad.js', 'f']])
  assert.deepEqual(await maps.frames(frames), shown)
  assert.deepEqual(asked, [['/app/good.js', '/app/bad.js'], ['/app/good.js'], ['/app/bad.js']])
  assert.deepEqual(problems, ['the map of bad.js takes too much time or memory'])
})

test('a caller that cannot wait gets what is known', async () => {
  let answer
  const maps = new SourceMaps({
    isOn: true,
    appRoot: '/app',
    onProblem: () => {},
    ask: () => new Promise(resolve => { answer = () => resolve([{ hasMap: true, problem: null, places: [{ file: '/app/a.ts', line: 1, column: 0, name: 'f' }] }]) })
  })
  const frames = [{ functionName: 'f', scriptId: '1', url: '/app/a.js', lineNumber: 5, columnNumber: 6 }]
  assert.deepEqual(await maps.frames(frames, { maxMs: 1 }), frames)
  answer()
  assert.equal((await maps.frames(frames, { maxMs: 60_000 }))[0].url, '/app/a.ts')
})
