'use strict'

// An Express server of which each request awaits three functions, one after the other; loopscope samples where they wait, or does not.

const { promiseHooks } = require('node:v8')
const { serveHello } = require('../harness/hello-server')

const ASK_EVERY_MS = 1000
const nothing = () => {}

/** @param {{ waits?: boolean }} [options] */
const using = options => (/** @type {any} */ app) => { app.use(require('../..')(options)) }

/** @type {Record<string, Parameters<typeof serveHello>[0]>} */
const CASES = {
  'no loopscope' () {},
  off: using({ waits: false }),
  'off, once more': using({ waits: false }),
  on: using(),
  'on demand' (app) {
    using()(app)
    const { sharedInstruments } = require('../../lib/probe/shared-instruments')
    setInterval(() => sharedInstruments()?.requestNotes.awaits.ask(2 * ASK_EVERY_MS / 1e3), ASK_EVERY_MS).unref()
  },
  'off, and hooks that do nothing' (app) {
    using({ waits: false })(app)
    promiseHooks.createHook({ init: nothing, before: nothing, after: nothing, settled: nothing })
  }
}

async function read () {
  return new Promise(resolve => setImmediate(resolve))
}

async function readAll () {
  await read()
  return read()
}

serveHello(CASES[process.argv[2]], async () => {
  await read()
  await readAll()
  await read()
})
