'use strict'

// A preload that starts a thread and nothing else: what no observer in a thread of its own can do without.

const { Worker, isMainThread } = require('node:worker_threads')

if (isMainThread) new Worker('', { eval: true }).unref()
