'use strict'

// A control: a thread that does not hold the process, as our observer does not. Nothing of ours.

const { Worker, isMainThread } = require('node:worker_threads')

if (isMainThread) new Worker('setInterval(() => {}, 1000)', { eval: true, execArgv: [], env: {} }).unref()
