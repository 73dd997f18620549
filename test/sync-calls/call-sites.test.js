'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const vm = require('node:vm')
const { createClock } = require('../../lib/shared/clock')
const { startDetector, sitesOf } = require('./started')

function makeDirectory (t) {
  const dir = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-test-'))
  t.after(() => fs.rmSync(dir, { recursive: true }))
  return dir
}

test('a site is the function, file, line and column of the caller', t => {
  const dir = makeDirectory(t)
  const file = path.join(dir, 'minified.js')
  fs.writeFileSync(file, 'const f=require("fs");exports.a=function a(){return f.existsSync("/")};exports.b=function b(){return f.existsSync("/")}')
  const minified = require(file)
  const detector = startDetector(t)
  minified.a()
  minified.b()
  minified.b()
  const sites = sitesOf(detector.read().sites, 'fs.existsSync', file)
  assert.deepEqual(sites.map(({ callSite, calls }) => [callSite.function, callSite.file, callSite.line, callSite.column, calls]).sort(), [
    ['a', file, 1, 55, 1],
    ['b', file, 1, 104, 2]
  ])
})

test('calls that Node makes on behalf of a watched one belong to the outermost', t => {
  const dir = makeDirectory(t)
  const detector = startDetector(t)
  fs.appendFileSync(path.join(dir, 'log'), 'x') // calls fs.writeFileSync
  fs.cpSync(dir, `${dir}-copy`, { recursive: true })
  fs.rmSync(`${dir}-copy`, { recursive: true })
  detector.stop()
  assert.deepEqual(detector.read().sites.map(({ api, calls }) => [api, calls]).sort(), [['fs.appendFileSync', 1], ['fs.cpSync', 1], ['fs.rmSync', 1]])
})

test('a module that is required while the service runs counts where it is required', t => {
  const file = path.join(makeDirectory(t), 'late.js')
  fs.writeFileSync(file, 'module.exports = 1')
  const detector = startDetector(t)
  require(file)
  detector.stop()
  const [site] = sitesOf(detector.read().sites, 'fs.readFileSync', __filename)
  assert.ok(site.calls >= 1)
})

test('JSON is reported from a size or a duration on', t => {
  const detector = startDetector(t)
  const large = JSON.stringify({ text: 'x'.repeat(200_000) })
  JSON.parse(large)
  for (let call = 0; call < 50; call++) JSON.parse('{"small":true}')
  detector.stop()
  const { sites } = detector.read()
  assert.ok(sitesOf(sites, 'JSON.parse', __filename).some(({ calls, totalMs }) => calls === 1 && totalMs > 0))
  assert.equal(sitesOf(sites, 'JSON.stringify', __filename).length, 1)
  assert.ok(sitesOf(sites, 'JSON.parse', __filename).length <= 2) // a small one may have met a pause of the machine
})

test('the collaborators of the detector are not counted', t => {
  const detector = startDetector(t, {
    routeNow () {
      Date.now()
      return fs.existsSync(__filename) ? 'GET /' : null
    },
    showFile (file) {
      fs.existsSync(file)
      return path.basename(file)
    }
  })
  fs.existsSync('/')
  const { sites } = detector.read()
  assert.deepEqual(sites.map(({ api, calls, callSite, routes }) => [api, calls, callSite.file, routes.length]), [['fs.existsSync', 1, 'call-sites.test.js', 1]])
  assert.equal(detector.read().sites.length, 1)
})

test('loopscope\'s own calls are not counted', t => {
  const clock = createClock()
  clock.stop() // from here on it asks Date.now
  const detector = startDetector(t)
  clock.now()
  Date.now()
  assert.deepEqual(detector.read().sites.map(({ api, callSite, calls }) => [api, callSite.file, calls]), [['Date.now', __filename, 1]])
})

test('a dependency that calls is a site of its own', t => {
  const pino = require('pino')
  const detector = startDetector(t, { apis: ['Date.now'] })
  pino({ timestamp: pino.stdTimeFunctions.epochTime }, { write () {} }).info('hello')
  const { sites } = detector.read()
  assert.ok(sites.length > 0)
  assert.deepEqual(sites.filter(({ callSite }) => !/node_modules.pino./.test(callSite.file)), [])
})

test('of a million call sites 500 are kept, the rest ends in _other with its calls', t => {
  const detector = startDetector(t, { apis: ['fs.existsSync', 'Date.now'] })
  // A script costs V8 itself some 20 us: most sites are lines of few scripts, each its own place.
  const scripts = 500
  const lines = 2000
  for (let script = 0; script < scripts; script++) {
    vm.runInThisContext('Date.now()\n'.repeat(lines) + 'true', { filename: `generated-${script}.js` })
    if (script % 10 === 0) vm.runInThisContext(`require => require('fs').existsSync('/')\n//# sourceURL=other-${script}.js`)(require)
  }
  const { sites } = detector.read()
  const others = sites.filter(({ callSite }) => callSite.function === '_other')
  assert.ok(sites.length - others.length <= 500, `${sites.length} sites`)
  assert.ok(others.some(({ api }) => api === 'Date.now'))
  const calls = sites.filter(({ api }) => api === 'Date.now').reduce((sum, site) => sum + site.calls, 0)
  assert.ok(Math.abs(calls - scripts * lines) < 0.5 * scripts * lines, `${calls} calls`)
})
