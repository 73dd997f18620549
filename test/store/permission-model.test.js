'use strict'

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const path = require('node:path')
const test = require('node:test')
const { makeScratch } = require('./scratch')

const root = path.resolve(__dirname, '../..')
const flag = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission'

const WRITER = `
  const { createStore } = require(${JSON.stringify(require.resolve('../../lib/observer/store/store'))})
  const store = createStore({ dir: process.argv[1], retention: { minFreeBytes: 0 } })
  try {
    store.prepare()
    store.write({ kind: 'cpu', extension: 'cpuprofile', at: Date.now(), appName: 'shop', bytes: Buffer.from('{}') })
    console.log(store.list().length, store.remove(store.list()[0].name))
  } catch (error) {
    console.log(error.code)
  }`

function run (scratch, writable) {
  const dir = path.join(scratch, 'captures')
  const allow = [`--allow-fs-read=${root}/*`, `--allow-fs-read=${scratch}/*`, `--allow-fs-write=${writable}/*`]
  return spawnSync(process.execPath, [flag, ...allow, '-e', WRITER, dir], { encoding: 'utf8' }).stdout.trim()
}

test('works under Node\'s permission model where the directory is allowed', t => {
  const scratch = makeScratch(t)
  assert.equal(run(scratch, scratch), '1 true')
})

test('a directory that the permission model does not allow is a coded error', t => {
  assert.equal(run(makeScratch(t), path.join(root, 'nowhere')), 'ERR_LOOPSCOPE_STORE_UNWRITABLE')
})
