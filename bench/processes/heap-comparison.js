'use strict'

// Writes two snapshots, or compares two with the tool that its argument names, and says how long that took and how much memory.

const fs = require('node:fs')
const path = require('node:path')
const v8 = require('node:v8')
const { serveAnswers } = require('../harness/answers')

const KIB = 1024

class Session {
  /** @param {number} at */
  constructor (at) {
    this.id = `session ${at}`
    this.data = { user: `user ${at % 1000}`, seen: [at, at + 1], tags: new Map([['a', at]]) }
    this.touch = () => this.id
  }
}

/** @type {Record<string, (...args: string[]) => Promise<void>>} */
const TASKS = {
  async write (folder, count) {
    const sessions = new Map()
    const add = (/** @type {number} */ at) => sessions.set(`key ${at}`, new Session(at))
    for (let at = 0; at < Number(count); at++) add(at)
    v8.writeHeapSnapshot(path.join(folder, 'before.heapsnapshot'))
    for (let at = 0; at < Number(count); at++) {
      add(Number(count) + at)
      if (at % 3 === 0) sessions.delete(`key ${at}`)
    }
    v8.writeHeapSnapshot(path.join(folder, 'after.heapsnapshot'))
  },
  async loopscope (before, after) {
    await compare([before, after], { isParallel: true }) // as the command line does
  },
  async 'loopscope, one thread' (before, after) {
    await compare([before, after], {}) // as the admin surface does
  },
  async 'heap-snapshot-toolkit' (before, after) {
    const { parse } = await import('heap-snapshot-toolkit')
    const base = /** @type {any} */ (await parse(fs.createReadStream(before, 'utf8')))
    const current = await parse(fs.createReadStream(after, 'utf8'))
    await current.calculateSnapshotDiff(base.uid, await base.aggregatesForDiff(await current.interfaceDefinitions()))
  },
  async memlab (before, after) {
    const { getFullHeapFromFile } = require('@memlab/heap-analysis')
    for (const file of [before, after]) {
      const heap = await getFullHeapFromFile(file)
      let total = 0
      heap.nodes.forEach((/** @type {{ retainedSize: number }} */ node) => { total += node.retainedSize })
      if (!(total > 0)) throw new Error('memlab found no retained sizes')
    }
  }
}

/**
 * @param {string[]} files
 * @param {{ isParallel?: boolean }} how
 */
async function compare (files, how) {
  const { compareFiles } = require('../../lib/heap-diff/comparison/compare-files')
  await compareFiles(files, how)
}

const [,, task, ...args] = process.argv
const from = performance.now()
TASKS[task](...args).then(() => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  serveAnswers({ ms: performance.now() - from, cpuMs: (userCPUTime + systemCPUTime) / 1e3, peakBytes: maxRSS * KIB }, {})
})
