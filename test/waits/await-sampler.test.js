'use strict'

// Sampling itself: it ends by itself, leaves nothing behind, and is not noticed by the code that it samples.

const test = require('node:test')
const assert = require('node:assert/strict')
const { createHook } = require('node:async_hooks')
const v8 = require('node:v8')
const vm = require('node:vm')
const { monotonicMicros } = require('../../lib/base/monotonic')
const { Budget } = require('../../lib/probe/waits/await-sampler')
const { createSampling } = require('./sampling')

v8.setFlagsFromString('--expose-gc')
const collectGarbage = vm.runInNewContext('gc')

const MAJOR = Number(process.versions.node.split('.')[0])
const turn = () => new Promise(resolve => setImmediate(resolve))

/** @returns of each wait of the last sample the functions, innermost first; the test runner has hooks of its own, which are called by Node.js */
function stacksOf ({ stacks, samples }) {
  const read = stacks.map(text => JSON.parse(text).filter(([, file]) => !file.startsWith('node:')).map(([name]) => name))
  return samples.at(-1).waits.map(([stack]) => read[stack])
}

async function step () {
  await turn()
}

async function handler () {
  await step()
  await step()
}

test('it samples what it is asked for, and nothing before or after', async t => {
  const { sampler, serve } = createSampling(t)
  await serve(handler)
  assert.equal(sampler.take().samples.length, 0)
  sampler.ask(60)
  await serve(handler)
  const { samples, stacks } = sampler.take()
  assert.equal(samples.length, 1)
  const awaits = stacksOf({ samples, stacks }).map(([name]) => name).filter(name => ['step', 'handler'].includes(name))
  assert.deepEqual(awaits, ['step', 'handler', 'step', 'handler'])
  assert.ok(samples[0].runs.length >= 4 && samples[0].waits.every(([, , from, to]) => to >= from))
  assert.deepEqual(sampler.readAsked(), { seen: 1 })
})

test('where V8 itself waits for what an async function has returned, nobody is on the stack', async t => {
  const { sampler, serve } = createSampling(t)
  const passOn = async () => turn()
  sampler.ask(60)
  await serve(async function caller () {
    await new Promise(resolve => setTimeout(resolve, 5))
    await passOn()
  })
  const stacks = stacksOf(sampler.take())
  assert.ok(stacks.some(([name]) => name === 'caller'))
  assert.deepEqual(stacks.filter(names => names[0] === 'then' && names.includes('caller')), [])
})

test('where a promise was made is read for all that await it, in several requests too', async t => {
  const { sampler, serve } = createSampling(t)
  const madeOf = ({ stacks, samples: [{ waits }] }) => waits.map(([, made]) => made === -1 ? '' : stacks[made]).filter(text => text.includes('"make"')).length
  const settle = []
  const make = () => new Promise(resolve => { settle.push(resolve) })
  let shared
  sampler.ask(60)
  await serve(async () => {
    shared = make()
    setImmediate(() => settle[0]())
    await Promise.all([shared.then(() => {}), shared.then(() => {})])
  })
  assert.ok(madeOf(sampler.take()) >= 2)
  await serve(async () => { await shared })
  assert.equal(madeOf(sampler.take()), 1)
})

test('a promise that requests share is seen as such, also where it was made for none of them', async t => {
  const { sampler, serve } = createSampling(t)
  let settle
  const before = new Promise(resolve => { settle = resolve })
  sampler.ask(60)
  let loaded
  const load = async () => { await new Promise(resolve => setTimeout(resolve, 20)) }
  const handler = async () => { await (loaded ??= load()) }
  const late = async () => {
    setTimeout(settle, 20)
    await before
  }
  await Promise.all([serve(handler), serve(handler), serve(late)])
  const { stacks, samples } = sampler.take()
  const sharedIn = name => samples.flatMap(({ waits }) => waits.filter(([stack, , , , resource]) => stack !== -1 && resource === '' && JSON.parse(stacks[stack]).find(([, file]) => file.includes('await-sampler.test'))?.[0] === name).map(wait => wait[9])).sort()
  assert.deepEqual([sharedIn('handler'), sharedIn('load'), sharedIn('late')], [[0, 1], [0], [1]], JSON.stringify(stacks))
})

test('a request that turns out not to be the application\'s is forgotten', async t => {
  const { sampler, serve } = createSampling(t)
  sampler.ask(60)
  await serve(handler, { isOwn: true })
  await serve(handler)
  assert.equal(sampler.take().samples.length, 1)
})

test('by itself it samples a few requests a second, and rests', async t => {
  const { sampler, serve } = createSampling(t)
  sampler.start()
  await serve(handler)
  sampler.tick(monotonicMicros())
  await serve(handler)
  assert.equal(sampler.take().samples.length, 0, 'not before the hooks are loaded')
  const fromMicros = monotonicMicros()
  sampler.tick(fromMicros)
  for (let count = 0; count < 500; count++) await serve(handler)
  const { length } = sampler.take().samples
  assert.ok(length >= 1 && length <= 30, String(length))
  sampler.tick(monotonicMicros() + 1e6) // the period is over
  sampler.tick(monotonicMicros())
  await serve(handler)
  assert.equal(sampler.take().samples.length, 0, 'it rests')
  let again = 0
  while (again === 0) {
    sampler.tick(monotonicMicros() + 60e6)
    await serve(handler) // the budget may be overdrawn
    again = sampler.take().samples.length
  }
})

test('where requests take long it takes further ones, until there are some, and no longer than a second', async t => {
  const { sampler, serve } = createSampling(t)
  sampler.start()
  sampler.tick(monotonicMicros())
  await serve(handler)
  const fromMicros = monotonicMicros()
  sampler.tick(fromMicros)
  await serve(handler, { isAnswered: false })
  for (const later of [0.2e6, 0.9e6]) {
    sampler.tick(fromMicros + later)
    await serve(handler, { agoMicros: -later })
  }
  assert.equal(sampler.take().samples.length, 2)
  sampler.tick(fromMicros + 1.5e6)
  await serve(handler)
  assert.equal(sampler.take().samples.length, 0)
})

test('a stack is charged what it can cost, also where the thread waited for a CPU meanwhile', () => {
  const budget = new Budget()
  const micros = monotonicMicros()
  budget.refill(micros, 5000)
  budget.spendSince(micros - 1e6)
  assert.equal(budget.isSpent, false)
  for (let more = 0; more < 100; more++) budget.spendSince(micros - 1e6)
  assert.equal(budget.isSpent, true)
})

test('a request that is not answered is sent as it stands when the hooks are removed', async t => {
  const { sampler, serve } = createSampling(t)
  sampler.start()
  sampler.tick(monotonicMicros())
  await serve(handler)
  sampler.tick(monotonicMicros())
  await serve(handler, { isAnswered: false })
  sampler.tick(monotonicMicros() + 1e6)
  assert.equal(sampler.take().samples.length, 0)
  sampler.tick(monotonicMicros() + 20e6)
  const { samples } = sampler.take()
  assert.deepEqual(samples.map(({ isOpen, route }) => [isOpen, route]), [[true, 'GET /']])
})

test('two hundred thousand promises that never settle leave nothing', async t => {
  const { sampler, serve } = createSampling(t)
  sampler.ask(600)
  const leave = async count => {
    for (let made = 0; made < count; made++) {
      await serve(async () => {
        const never = async () => { await new Promise(() => {}) }
        for (let call = 0; call < 10; call++) never()
      })
      if (made % 500 === 0) {
        sampler.take()
        await turn()
      }
    }
    sampler.take()
    await turn()
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  const before = await leave(2000)
  const grown = await leave(20_000) - before
  assert.ok(grown < 3e6, `${grown} bytes`)
})

test('promises that the application holds and never settles keep no stack', async t => {
  const { sampler, serve } = createSampling(t)
  const held = []
  sampler.ask(600)
  for (let count = 0; count < 300; count++) {
    await serve(async () => {
      const large = new Array(10_000).fill(count)
      const ofRequest = async () => { held.push(new Promise(() => {})); return large.length }
      await ofRequest()
    })
  }
  sampler.take()
  sampler.stop()
  await turn()
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  held.length = 0
  await turn()
  collectGarbage()
  assert.ok(before - process.memoryUsage().heapUsed < 2e6)
})

test('a request that waits without an end is cut off', async t => {
  const { sampler, serve } = createSampling(t)
  sampler.ask(600)
  await serve(async () => { for (let count = 0; count < 5000; count++) await null })
  const { samples: [sample] } = sampler.take()
  assert.ok(sample.truncatedMicros > 0 && sample.waits.length < 2000)
})

test('what waits for hundreds of promises that were begun at once is seen', async t => {
  const { sampler, serve } = createSampling(t)
  sampler.ask(600)
  const load = async () => { await new Promise(resolve => setTimeout(resolve, 1)) }
  async function loadAll () { await Promise.all(Array.from({ length: 300 }, load)) }
  await serve(loadAll)
  const { stacks, samples: [sample] } = sampler.take()
  const functions = sample.waits.map(([stack]) => JSON.parse(stacks[stack]).map(([name]) => name).find(name => name.startsWith('load')))
  assert.equal(sample.truncatedMicros, 0)
  assert.ok(functions.filter(name => name === 'load').length >= 300)
  assert.ok(functions.includes('loadAll'), JSON.stringify([...new Set(functions)]))
})

test('a request that takes long may wait more often than one that has just begun', async t => {
  const { sampler, serve } = createSampling(t)
  sampler.ask(60)
  await serve(async () => { for (let count = 0; count < 300; count++) await null }, { agoMicros: 200e3 })
  const { samples: [sample] } = sampler.take()
  assert.ok(sample.truncatedMicros === 0 && sample.waits.length > 400, JSON.stringify([sample.truncatedMicros, sample.waits.length]))
})

test("the application's Error settings are as before, and its own prepareStackTrace is not called", async t => {
  const { sampler, serve } = createSampling(t)
  const before = Object.getOwnPropertyDescriptors(Error)
  t.after(() => {
    Error.prepareStackTrace = undefined
    Object.defineProperty(Error, 'stackTraceLimit', before.stackTraceLimit)
  })
  let calls = 0
  const own = (_, sites) => {
    calls++
    return `own ${sites.length}`
  }
  Error.prepareStackTrace = own
  Error.stackTraceLimit = 3
  sampler.ask(60)
  await serve(handler)
  assert.deepEqual([calls, Error.prepareStackTrace, Error.stackTraceLimit], [0, own, 3])
  assert.equal(new Error('mine').stack, 'own 3')
  assert.deepEqual(stacksOf(sampler.take()).map(([name]) => name).filter(name => name === 'step'), ['step', 'step'])
})

test('other users of promise hooks and async hooks go on as before, and are in no stack', async t => {
  const { sampler, serve } = createSampling(t)
  const seen = { promises: 0, resources: 0 }
  const stop = v8.promiseHooks.createHook({ init () { seen.promises++ } })
  const hook = createHook({ init () { seen.resources++ } }).enable()
  t.after(() => { hook.disable() })
  sampler.ask(60)
  await serve(handler)
  stop()
  hook.disable()
  assert.ok(seen.promises > 4 && seen.resources > 2, JSON.stringify(seen))
  const { stacks } = sampler.take()
  assert.ok(stacks.every(text => !/lib\/probe\/waits/.test(text)), stacks.join('\n'))
  const before = { ...seen }
  await serve(handler)
  assert.deepEqual(seen, before)
})

test('callbacks are waits, too, where Node.js can tell', { skip: MAJOR < 24 }, async t => {
  const { sampler, serve } = createSampling(t)
  assert.deepEqual(sampler.ask(60), { seesCallbacks: true })
  await serve(() => new Promise(resolve => setTimeout(resolve, 5)))
  const { samples: [{ waits }] } = sampler.take()
  const [timer] = waits.filter(([, , , , resource]) => resource === 'timer')
  assert.ok(timer[3] - timer[2] >= 4000, JSON.stringify(timer))
})

test('a promise of the application has no property of ours', async t => {
  const { sampler, serve } = createSampling(t)
  const promises = []
  sampler.ask(60)
  await serve(async () => {
    promises.push(Promise.resolve(1), turn())
    await promises[1]
  })
  for (const promise of promises) assert.deepEqual(Object.getOwnPropertySymbols(promise).map(String).filter(name => name.includes('loopscope')), [])
})
