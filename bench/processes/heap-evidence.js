'use strict'

// An application with a large heap that is looked at in the way that its argument names, and notes how long its loop stood
// still and how much memory the process had at most.

const fs = require('node:fs')
const { Session } = require('node:inspector/promises')
const { setTimeout: sleep } = require('node:timers/promises')
const { serveAnswers } = require('../harness/answers')
const diagnostics = require('../..')()

const OBJECTS = 200_000
const REST_MS = 500
const KIB = 1024

/** @type {Record<string, () => Promise<unknown>>} */
const CASES = {
  'heap-snapshot': () => diagnostics.capture('heap-snapshot', { force: true }),
  'heap-histogram': () => diagnostics.capture('heap-histogram'),
  'heap-profile': () => diagnostics.capture('heap-profile', { seconds: 1 }),
  'queryObjects alone': queryObjects
}

/** What V8 does for a histogram, and nothing else. */
async function queryObjects () {
  const session = new Session()
  session.connect()
  const { result: { objectId: prototypeObjectId } } = await session.post('Runtime.evaluate', { expression: 'Object.prototype' })
  if (prototypeObjectId !== undefined) await session.post('Runtime.queryObjects', { prototypeObjectId })
  session.disconnect()
}

class Item {
  /** @param {number} at */
  constructor (at) {
    this.name = `item ${at}`
    this.read = () => this.name + at
    this.tags = [at, at + 1]
  }
}

const items = Array.from({ length: OBJECTS }, (_, at) => new Item(at))

/** The most memory that the process had since it was last asked: the kernel counts it, whatever the loop does. */
function peakRssBytes () {
  const [, kib] = /VmHWM:\s+(\d+)/.exec(fs.readFileSync('/proc/self/status', 'latin1')) ?? []
  return Number(kib) * KIB
}

async function trial () {
  await sleep(REST_MS)
  fs.writeFileSync('/proc/self/clear_refs', '5') // the peak begins anew
  const rssBefore = peakRssBytes()
  let lastMs = performance.now()
  let pauseMs = 0
  const timer = setInterval(() => {
    const nowMs = performance.now()
    pauseMs = Math.max(pauseMs, nowMs - lastMs)
    lastMs = nowMs
  }, 1)
  await CASES[process.argv[2]]()
  await sleep(REST_MS)
  clearInterval(timer)
  return { pauseMs, extraBytes: peakRssBytes() - rssBefore, heapBytes: process.memoryUsage().heapUsed, held: items.length }
}

// The first loads what a capture needs, and a sampler has something to sample from then on.
sleep(REST_MS).then(() => serveAnswers('ready', { trial }))
