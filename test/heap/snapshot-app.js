'use strict'

// Runs the application that takes heap snapshots of itself, in a memory group of the kernel if one is given.

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')

const app = path.resolve(__dirname, '../fixtures/heap/snapshot-app.js')
const ROOT = '/sys/fs/cgroup'

/**
 * @param {object} settings  { dir, shape, megabytes, orders, retention }
 * @param {{ group?: string, maxHeapMegabytes?: number }} [place]
 * @returns {Promise<{ outcomes: object[] | null, signal: string | null, stderr: string }>} null: it ended before it told them
 */
async function runSnapshotApp (settings, { group, maxHeapMegabytes = 1000 } = {}) {
  const { retention = { minFreeBytes: 0, maxCount: 100 } } = settings
  const args = [`--max-old-space-size=${maxHeapMegabytes}`, app, JSON.stringify({ shape: 'objects', megabytes: 10, orders: [{}], ...settings, retention })]
  const [command, ...all] = group === undefined ? [process.execPath, ...args] : joining(group, args)
  const child = spawn(command, all, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let outcomes = null
  let stderr = ''
  child.on('message', told => { outcomes = told })
  child.stderr.setEncoding('utf8').on('data', text => { stderr += text })
  const [, signal] = await once(child, 'close')
  return { outcomes, signal, stderr }
}

/**
 * @param {string} group  its folder
 * @param {string[]} args  of Node.js
 * @returns {string[]} a command: the shell joins the group, and becomes the application
 */
function joining (group, args) {
  return ['sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', group, process.execPath, ...args]
}

/**
 * @param {number} megabytes
 * @param {string} [name]  where a test needs several
 * @returns {{ folder: string, remove: () => Promise<void> } | { reason: string }}
 */
function createMemoryGroup (megabytes, name = '') {
  const isFirstVersion = fs.existsSync(`${ROOT}/memory/cgroup.procs`)
  const folder = path.join(ROOT, isFirstVersion ? 'memory' : '', `loopscope-test-${process.pid}${name}`)
  try {
    if (!isFirstVersion) fs.writeFileSync(`${ROOT}/cgroup.subtree_control`, '+memory')
    fs.mkdirSync(folder)
    fs.writeFileSync(`${folder}/${isFirstVersion ? 'memory.limit_in_bytes' : 'memory.max'}`, String(megabytes * 1024 ** 2))
    return { folder, remove: () => removeGroup(folder) }
  } catch (error) {
    return { reason: `no memory group can be made here: ${error.message}` }
  }
}

/** @param {string} folder */
async function removeGroup (folder) {
  while (fs.readFileSync(`${folder}/cgroup.procs`, 'utf8') !== '') await sleep(20)
  fs.rmdirSync(folder)
}

module.exports = { createMemoryGroup, joining, runSnapshotApp }
