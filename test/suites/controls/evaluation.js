'use strict'

// A control: an inspector session that has the main thread evaluate something, as ours does each time it is taken up. Each
// evaluation is a script that other debuggers are told of. Nothing of ours.

const { Worker, isMainThread } = require('node:worker_threads')

const EVALUATE = `
  const { Session } = require('node:inspector')
  const session = new Session()
  session.connectToMainThread()
  setInterval(() => session.post('Runtime.evaluate', { expression: '0' }, () => {}), 10)
`

if (isMainThread) new Worker(EVALUATE, { eval: true, execArgv: [], env: {} }).unref()
