'use strict'

// An Express server that sends profiles of itself, in the way that its first argument names, to the local port of its second.

const { serveHello } = require('../harness/hello-server')

const EVERY_SECONDS = 10 // one push a round
const INTERVAL_MICROS = 10_000 // the recorder's 100 Hz

const [, , name, port] = process.argv
const address = `http://127.0.0.1:${port}/${encodeURIComponent(name)}`

/** @type {Record<string, (app: import('express').Express) => void>} */
const CASES = {
  nothing () {},
  'loopscope, no egress' (app) { app.use(require('../..')()) },
  'loopscope, no egress, once more' (app) { app.use(require('../..')()) },
  'to pyroscope' (app) { app.use(require('../..')({ egress: { to: 'pyroscope', url: address, everySeconds: EVERY_SECONDS } })) },
  'to otlp' (app) { app.use(require('../..')({ egress: { to: 'otlp', url: address, everySeconds: EVERY_SECONDS } })) },
  'to put' (app) { app.use(require('../..')({ egress: { to: 'put', url: `${address}/{file}`, everySeconds: EVERY_SECONDS } })) },
  '@pyroscope/nodejs' () { startPyroscope() }
}

/** CPU profiles only, as ours; its heap profiler would come on top. */
function startPyroscope () {
  const pyroscope = require('@pyroscope/nodejs').default
  pyroscope.init({
    appName: 'hello',
    serverAddress: address,
    flushIntervalMs: EVERY_SECONDS * 1e3,
    wall: { samplingDurationMs: EVERY_SECONDS * 1e3, samplingIntervalMicros: INTERVAL_MICROS, collectCpuTime: true }
  })
  pyroscope.startWallProfiling()
}

serveHello(CASES[name])
