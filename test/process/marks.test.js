'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { setTimeout: sleep } = require('node:timers/promises')
const { drive } = require('./child')

async function marksAt (address, mark) {
  const { origin, hash } = new URL(address)
  const headers = { authorization: `Bearer ${hash.slice('#token='.length)}`, 'content-type': 'application/json' }
  const response = await fetch(`${origin}/marks`, { headers, ...(mark && { method: 'POST', body: JSON.stringify({ text: mark }) }) })
  return (await response.json()).marks?.map(({ text }) => text)
}

test('the observer keeps the marks of the code and those made over HTTP, and they are lost with it', async t => {
  const app = await drive(t, { options: { admin: { listen: 0 } } })
  // Started anew, so that its thread is known.
  await app.run(async ({ handle, ready }) => {
    await handle.close()
    process.on('worker', worker => { globalThis.observer = worker })
    handle.start()
    handle.mark('from the code')
    await ready()
  })
  const { url } = app.said(/^diagnostics at/).at(-1)
  await marksAt(url, 'over HTTP')
  assert.deepEqual(await marksAt(url), ['from the code', 'over HTTP'])
  const textsOf = async ({ handle }) => (await handle.marks()).map(({ text }) => text)
  assert.deepEqual(await app.run(textsOf), ['from the code', 'over HTTP'])

  await app.run(async () => {
    const startedAgain = new Promise(resolve => process.once('worker', resolve))
    await globalThis.observer.terminate()
    await startedAgain
  })
  let after
  while (after === undefined) after = await marksAt(url).catch(() => sleep(50))
  assert.deepEqual(after, [])
  await app.run(({ handle }) => handle.mark('afterwards'))
  assert.deepEqual(await app.run(textsOf), ['afterwards'])
  assert.deepEqual(await marksAt(url), ['afterwards'])
})

test('without running diagnostics there are no marks, and none is made', async t => {
  const app = await drive(t)
  const { code, marks } = await app.run(async ({ handle }) => {
    handle.mark('before')
    await handle.close()
    try {
      handle.mark('after')
    } catch (error) {
      return { code: error.code, marks: await handle.marks() }
    }
  })
  assert.deepEqual({ code, marks }, { code: 'ERR_LOOPSCOPE_NOT_RUNNING', marks: [] })
})
