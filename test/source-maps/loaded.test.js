'use strict'

// Code that a loader compiles when it is loaded, as tsx does: its map is in no file, only in the process.

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { encode } = require('@jridgewell/sourcemap-codec')
const { SourceMaps } = require('../../lib/source-maps/source-maps')
const { makeScratch } = require('../store/scratch')

const LIBRARY = path.join(__dirname, '..', '..', 'lib', 'index')
const MAX_MS = 150_000

test('a stall in code that was compiled as it was loaded has the line that was written', t => {
  const folder = makeScratch(t)
  const generated = 'exports.hash=function hash(ms){for(const end=Date.now()+ms;Date.now()<end;);}'
  const mappings = encode([[[0, 0, 2, 0], [generated.indexOf('function'), 0, 4, 2], [generated.indexOf('for'), 0, 6, 4]]])
  const map = Buffer.from(JSON.stringify({ version: 3, sources: ['written.ts'], names: [], mappings })).toString('base64')
  fs.writeFileSync(path.join(folder, 'written.ts'), '\n'.repeat(20))
  fs.writeFileSync(path.join(folder, 'app.js'), `
    process.setSourceMapsEnabled(true)
    require.extensions['.ts'] = (module, file) => module._compile(${JSON.stringify(`${generated}\n//# sourceMappingURL=data:application/json;base64,${map}`)}, file)
    const handle = require(${JSON.stringify(LIBRARY)}).createDiagnostics({
      logger: { info () {}, warn () {}, error () {} }, stallThresholdMs: 100, controlSocket: false, signals: false
    })
    handle.start()
    const { hash } = require('./written.ts')
    const timer = setInterval(async () => {
      hash(200)
      // Also of the first ones, when more is known.
      const found = (await handle.stalls()).find(({ stack }) => stack[0]?.file === 'written.ts' && [5, 7].includes(stack[0].line))
      if (found === undefined) return
      clearInterval(timer)
      console.log(JSON.stringify(found.culprit))
      handle.close()
    }, 700)`)
  const culprit = JSON.parse(execFileSync(process.execPath, [path.join(folder, 'app.js')], { encoding: 'utf8', timeout: MAX_MS }))
  assert.deepEqual([culprit.function, culprit.file, culprit.functionLine], ['hash', 'written.ts', 5])
  assert.ok([5, 7].includes(culprit.line))
})

test('the process is asked only for maps that are in no file, and again where it could not answer', async () => {
  const asked = []
  let canAnswer = false
  const maps = new SourceMaps({
    isOn: true,
    appRoot: '/app',
    onProblem: () => {},
    askProcess: async urls => {
      asked.push(urls)
      if (!canAnswer) throw new Error('it is blocked')
      return urls.slice(0, 1).map(url => url.endsWith('.ts') ? 'a map' : null)
    },
    ask: async ({ scripts }) => scripts.map(({ url, map, places }) => {
      const hasMap = url === '/app/file.js' || map === 'a map'
      return { hasMap, problem: null, places: places.map(() => hasMap ? { file: '/app/written', line: 1, column: 0, name: 'f' } : null) }
    })
  })
  const frames = ['/app/file.js', '/app/none.js', '/app/loaded.ts'].map(url => ({ functionName: 'f', scriptId: '1', url, lineNumber: 5, columnNumber: 6 }))
  const filesOf = async () => (await maps.frames(frames)).map(({ url }) => url)
  assert.deepEqual(await filesOf(), ['/app/written', '/app/none.js', '/app/loaded.ts'])
  assert.equal(maps.isKnown({ frames }), false)
  canAnswer = true
  assert.deepEqual(await filesOf(), ['/app/written', '/app/none.js', '/app/written'])
  assert.equal(maps.isKnown({ frames }), true)
  await filesOf()
  assert.deepEqual(asked, [['/app/none.js', '/app/loaded.ts'], ['/app/none.js', '/app/loaded.ts'], ['/app/loaded.ts']])
})
