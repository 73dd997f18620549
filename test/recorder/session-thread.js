'use strict'

// A thread with a session as the observer has it, for session.test.js: it tells what it receives.

const { parentPort, workerData } = require('node:worker_threads')
const { InspectorSession } = require('../../lib/observer/recorder/inspector-session')

const session = new InspectorSession({
  hz: 1000,
  windowsBySession: true,
  ...workerData,
  onWindow: window => parentPort.postMessage({ type: 'window', window })
})

const handlers = {
  open: () => session.open(),
  interrupt: ({ rotate }) => session.interrupt({ rotate }),
  close: () => session.close()
}

parentPort.on('message', async ({ type, ...options }) => {
  try {
    parentPort.postMessage({ type: 'reply', value: await handlers[type](options) })
  } catch (error) {
    parentPort.postMessage({ type: 'error', message: error.message })
  }
})
