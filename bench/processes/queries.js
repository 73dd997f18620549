'use strict'

// An Express server of which each request makes three queries to a Redis server, which is a process of its own (harness/tiny-redis.js).

const { fork } = require('node:child_process')
const { once } = require('node:events')
const { subscribe } = require('node:diagnostics_channel')
const path = require('node:path')
const { serveHello } = require('../harness/hello-server')

const FLOOR = ['start', 'asyncStart', 'error']

/** @type {Record<string, Parameters<typeof serveHello>[0]>} */
const CASES = {
  'no loopscope' () {},
  off (app) { app.use(require('../..')({ dependencyCalls: false })) },
  'off, once more' (app) { app.use(require('../..')({ dependencyCalls: false })) },
  on (app) { app.use(require('../..')()) },
  'off, and listeners that do nothing' (app) {
    app.use(require('../..')({ dependencyCalls: false }))
    for (const event of FLOOR) subscribe(`tracing:ioredis:command:${event}`, () => {})
  }
}

async function main () {
  const server = fork(path.join(__dirname, '../harness/tiny-redis.js'))
  process.on('exit', () => server.kill())
  const [port] = await once(server, 'message')
  const { Redis } = require('ioredis')
  const redis = new Redis(port, '127.0.0.1')
  await redis.ping()
  serveHello(CASES[process.argv[2]], async () => {
    await redis.get('user:1')
    await redis.hgetall('cart:1')
    await redis.get('prices')
  })
}

main()
