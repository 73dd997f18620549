'use strict'

// What the application of a test runs: sent as text, so each is whole in itself.

/** Two workers that burn, one with a name; resolves when both do. */
exports.startBurners = async ({ require }) => {
  const { once } = require('node:events')
  const { Worker } = require('node:worker_threads')
  const work = `
    const { parentPort } = require('node:worker_threads')
    const { pbkdf2Sync } = require('node:crypto')
    function burnInWorker () { pbkdf2Sync('text', 'salt', 20_000, 32, 'sha512') }
    setInterval(burnInWorker, 10)
    parentPort.postMessage('burns')`
  globalThis.burners = [new Worker(work, { eval: true, name: 'resize' }), new Worker(work, { eval: true })]
  await Promise.all(globalThis.burners.map(burner => once(burner, 'message')))
}

exports.captureThreads = async ({ handle, ready }, options) => {
  await ready()
  const artifact = await handle.capture('cpu', { threads: true, ...options })
  return artifact.text()
}
