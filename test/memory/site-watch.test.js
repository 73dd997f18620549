'use strict'

// Where what stays is probably kept: on sampled heaps put together by hand, and the source of an application.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const test = require('node:test')
const { SiteWatch } = require('../../lib/observer/memory/sites/site-watch')

const APP = `
app.post('/orders', (req, res) => {
  const lines = req.body.lines.map(line => ({ ...line }))
  record('order', lines)
})
function record (action, lines) {
  entries.push({ action, lines })
}
app.post('/files', (req, res) => {
  signatures.set(req.headers['x-name'], req.body.subarray(0, 32))
})
const report = memoize((from, to) => {
  history.push(from)
  return rowsOf(from, to)
})
function ordersOf (tenant) {
  return connection.model(tenant, tenant.map(name => ({ name })))
}
`

const frame = (functionName, url, lineNumber, columnNumber) => ({ functionName, scriptId: url, url, lineNumber: lineNumber - 1, columnNumber: columnNumber - 1 })

test.describe('sites of what stays', () => {
  /** @type {string} */
  let file

  test.before(() => {
    file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'sites-')), 'app.js')
    fs.writeFileSync(file, APP)
  })
  test.after(() => fs.rmSync(path.dirname(file), { recursive: true }))

  /**
   * @param {CallFrame[][]} stacks  outermost first, of what is allocated again and again
   * @param {object[]} [buffers]
   * @param {{ readMs?: number }} [options]  that a reading of the heap takes
   */
  function watchOf (stacks, buffers = [], { readMs = 0 } = {}) {
    let id = 0
    const chainOf = ([callFrame, ...rest]) => ({ id: ++id, callFrame, selfSize: 0, children: rest.length === 0 ? [] : [chainOf(rest)] })
    const head = { id: ++id, callFrame: frame('(root)', '', 0, 0), selfSize: 0, children: stacks.map(chainOf) }
    const leaves = head.children.map(function leafOf (node) { return node.children.length === 0 ? node.id : leafOf(node.children[0]) })
    let [reads, atMs] = [0, 0]
    const sampling = {
      isOpen: () => true,
      lastReadMs: () => readMs,
      close: async () => {},
      read: async () => {
        reads++
        return { head, samples: Array.from({ length: atMs / 1000 }, (_, at) => leaves.map((nodeId, leaf) => ({ nodeId, size: 1e5 / (leaf + 1), ordinal: at * leaves.length + leaf + 1 }))).flat() }
      }
    }
    const watch = new SiteWatch({
      sampler: () => ({ refine: async () => sampling }),
      main: { read: async what => what === 'buffers' ? { sites: buffers, aliveBytes: 0, requests: {}, ownMs: 0 } : { isNew: true } },
      buffersBytes: () => 0,
      heapBytes: () => 0,
      hasSession: () => true,
      routesOf: () => new Map(),
      handlersOf: route => route === 'POST /files' ? [frame('', file, 9, 20)] : [],
      toOriginal: async frames => frames,
      appRoot: path.dirname(file),
      now: () => atMs,
      wait: async ms => { atMs += ms },
      ...(readMs === 0 && { maxReadShare: 1 })
    })
    return { watch, reads: () => reads, pass: (/** @type {number} */ ms) => { atMs += ms } }
  }

  /** @param {CallFrame[][]} stacks  @param {object[]} [buffers] */
  async function sitesOf (stacks, buffers) {
    return (await watchOf(stacks, buffers).watch.arm()).sites
  }

  const handler = () => frame('', file, 2, 21)
  const of = (/** @type {string} */ name, functionName = 'f') => frame(functionName, path.join(path.dirname(file), 'node_modules', name), 1, 1)

  test('what a function creates is kept where another one that its caller calls keeps what it gets', async () => {
    const [first] = await sitesOf([[handler(), frame('', file, 3, 34)], [handler(), frame('record', file, 6, 17)]])
    assert.deepEqual([first.line, first.keptAt?.line, first.holder], [3, 7, 'Array'])
    const [alone] = await sitesOf([[handler(), frame('', file, 3, 34)]])
    assert.equal(alone.keptAt?.line, 7)
  })

  test('what a function creates for a caller that waits for it is kept on the only line that keeps what stays', async () => {
    const created = [frame('load', file, 3, 34)]
    const [only] = await sitesOf([created, created, [handler(), frame('record', file, 6, 17)]])
    assert.deepEqual([only.function, only.line, only.keptAt?.line, only.holder], ['load', 3, 7, 'Array'])
    const [oneOfTwo] = await sitesOf([created, created, [handler(), frame('record', file, 6, 17)], [frame('', file, 9, 20)]])
    assert.deepEqual([oneOfTwo.function, oneOfTwo.keptAt], ['load', null])
  })

  test('where a reading takes too long it is left out, and the age is known all the same', async () => {
    const { watch, reads } = watchOf([[handler()]], [], { readMs: 10_000 })
    const { intervals, sites: [site] } = await watch.arm()
    assert.deepEqual([reads(), intervals, site.verdict], [1, [10, 10, 10, 10, 10, 10], 'stays'])
    assert.deepEqual(site.byBirth, [1e6, 1e6, 1e6, 1e6, 1e6, 1e6])
  })

  test('where what stays is too little to be sure of, it goes on, for three minutes at most', async () => {
    const secondsOf = async (/** @type {(sites: { sites: { bytes: number }[] }) => boolean} */ goesOn) => {
      const { watch } = watchOf([[handler()]])
      const { intervals, sites: [site] } = await watch.arm({ reason: 'growth', goesOn })
      assert.equal(site.verdict, 'stays')
      assert.equal(site.byBirth.length, intervals.length)
      return intervals.reduce((sum, seconds) => sum + seconds, 0)
    }
    assert.equal(await secondsOf(() => false), 60)
    assert.equal(await secondsOf(({ sites: [site] }) => site.bytes < 9e6), 100)
    assert.equal(await secondsOf(() => true), 180)
  })

  test('it is armed again at once where something else grows, else after a time', async () => {
    const { watch, pass } = watchOf([[handler()]])
    const grows = (/** @type {string} */ owner) => ({ owner, name: null, bytes: 1e8, bytesPerMinute: 1e7, grownBytes: 5e7, minutes: 5 })
    const isArmedBy = async (/** @type {'noteGrowing' | 'noteGrowingFast'} */ how, /** @type {string[]} */ ...owners) => {
      watch[how](owners.map(grows))
      const { isArmed } = watch
      if (isArmed) await watch.arm()
      return isArmed
    }
    assert.equal(await isArmedBy('noteGrowingFast'), false)
    assert.equal(await isArmedBy('noteGrowingFast', 'heap'), true)
    assert.equal(await isArmedBy('noteGrowingFast', 'heap'), false)
    assert.equal(await isArmedBy('noteGrowingFast', 'heap', 'buffers'), true)
    assert.equal(await isArmedBy('noteGrowingFast', 'heap', 'buffers'), false)
    pass(600_000)
    assert.equal(await isArmedBy('noteGrowingFast', 'heap'), true)
    assert.equal(await isArmedBy('noteGrowing', 'heap'), true)
    pass(600_000)
    assert.equal(await isArmedBy('noteGrowing', 'heap'), false)
    pass(3600_000)
    assert.equal(await isArmedBy('noteGrowing', 'heap'), true)
  })

  test('what a handler allocates of its connection is not what holds the rest', async () => {
    const own = [handler(), frame('record', file, 6, 17)]
    const answer = [...own, frame('ServerResponse', 'node:_http_server', 200, 1)]
    const [handled] = await sitesOf([own, own, own, own, answer])
    assert.deepEqual([handled.keptAt?.line, handled.holder], [7, 'Array'])
    const [sockets] = await sitesOf([answer, own])
    assert.deepEqual([sockets.keptAt?.line, sockets.holder], [7, 'sockets'])
  })

  test('what is written to a stream faster than it is read waits in its queue', async () => {
    const own = [frame('broadcast', file, 20, 1)]
    const written = [...own, frame('write_', 'node:_http_outgoing', 900, 1), frame('_write', 'node:internal/streams/writable', 400, 1)]
    const [site] = await sitesOf([own, own, own, own, own, written])
    assert.equal(site.holder, 'write queues')
  })

  test('what a package keeps that is called on something that outlives the call is kept on the line of the call', async () => {
    const folder = path.join(path.dirname(file), 'node_modules/registry')
    fs.mkdirSync(folder, { recursive: true })
    fs.writeFileSync(path.join(folder, 'index.js'), 'class Registry {\n  model (name, fields) {\n    this.models[name] = make(fields)\n  }\n}')
    const [inRegistry, inApp] = [frame('Registry.model', path.join(folder, 'index.js'), 2, 9), frame('ordersOf', file, 16, 18)]
    const fields = frame('', file, 17, 51)
    const [site] = await sitesOf([[inApp, fields], [inApp, fields], [inApp, inRegistry]])
    assert.deepEqual([site.line, site.keptAt?.line], [17, 17])
    const [other] = await sitesOf([[inApp, fields]])
    assert.equal(other.keptAt, null)
    const [byPackage] = await sitesOf([[inRegistry]])
    assert.equal(byPackage.keptAt, null)
  })

  test('Buffers that a package creates are kept by the handler of their route', async () => {
    const frames = [{ function: 'done', file: path.join(path.dirname(file), 'node_modules/raw-body/index.js'), line: 9, column: 1 }]
    const kept = { frames, api: 'Buffer', isReceived: false, route: 'POST /files', bytes: 6e6, samples: 60, byBirth: [1e6, 1e6, 1e6, 1e6, 1e6, 1e6] }
    const [site] = await sitesOf([], [kept])
    assert.deepEqual([site.keptAt?.file, site.keptAt?.line, site.holder], ['app.js', 10, 'Buffer'])
    const [other] = await sitesOf([], [{ ...kept, route: 'POST /other' }])
    assert.equal(other.keptAt, null)
  })

  test('Buffers that the application creates are kept on the line of a call, or by the handler of their route', async () => {
    const kept = { api: 'Buffer', isReceived: false, route: 'POST /files', bytes: 6e6, samples: 60, byBirth: [1e6, 1e6, 1e6, 1e6, 1e6, 1e6] }
    const call = (/** @type {number} */ line) => ({ function: '', file, line, column: 20 })
    const [byHandler] = await sitesOf([], [{ ...kept, frames: [call(3), call(10)] }])
    assert.deepEqual([byHandler.line, byHandler.keptAt?.line], [3, 10])
    const [byCall] = await sitesOf([], [{ ...kept, frames: [call(13), call(3)] }])
    assert.deepEqual([byCall.line, byCall.keptAt?.line], [13, 13])
  })

  test('results that a package keeps are named after it, with the function that creates them', async () => {
    const cases = [
      [of('lodash/lodash.js', 'memoized'), 'memoized results'],
      [of('fast-memoize/src/index.js', 'variadic'), 'memoized results'],
      [of('dataloader/index.js', 'dispatchBatch'), 'rows of a DataLoader']
    ]
    for (const [caller, holder] of cases) {
      const [site] = await sitesOf([[caller, frame('', file, 12, 24)]])
      assert.deepEqual([site.line, site.keptAt?.line ?? null, site.holder], [12, holder === 'memoized results' ? 12 : null, holder])
    }
    const [compiled] = await sitesOf([[handler()], [handler(), of('ajv/dist/core.js', 'compile'), frame('Function', '', 0, 0)], [handler(), of('ajv/dist/core.js', 'compile')], [handler(), of('ajv/dist/compile/index.js', 'compileSchema')]])
    assert.deepEqual([compiled.through, compiled.holder], ['ajv', 'compiled schemas'])
    const [metric] = await sitesOf([[handler(), of('prom-client/lib/histogram.js', 'observe')]])
    assert.deepEqual([metric.line, metric.through, metric.holder], [2, 'prom-client', 'metric labels'])
  })
})
