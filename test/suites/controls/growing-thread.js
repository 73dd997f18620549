'use strict'

// A control: a thread that takes memory while it starts, less than our observer's 14 MB. Nothing of ours.

const { Worker, isMainThread } = require('node:worker_threads')

const GROW = 'globalThis.kept = Buffer.alloc(8 << 20, 1); setInterval(() => {}, 1000)'

if (isMainThread) new Worker(GROW, { eval: true, execArgv: [], env: {} }).unref()
