'use strict'

// Applications of other frameworks than Express, each through the door that docs/frameworks.md names.

const assert = require('node:assert/strict')
const { once } = require('node:events')
const path = require('node:path')
const test = require('node:test')
const { PACKAGES, skipWithout } = require('./installed')
const { makeApplication, start, endOf } = require('./environment')
const { OBSERVED, observe } = require('./observed')

const BLOCK = `
module.exports = function blockForAWhile () {
  const until = performance.now() + 300
  while (performance.now() < until);
  return 'done'
}
`
const SAY = "const say = port => console.log(JSON.stringify({ msg: 'listening', port }))"

const NEST = `
require('reflect-metadata')
const { Controller, Get, Module } = require('@nestjs/common')
const { NestFactory } = require('@nestjs/core')
const blockForAWhile = require('./block')
${SAY}
class Shop {
  stall () { return blockForAWhile() }
}
Get('stall/:id')(Shop.prototype, 'stall', Object.getOwnPropertyDescriptor(Shop.prototype, 'stall'))
Controller()(Shop)
class Application {}
Module({ controllers: [Shop] })(Application)
async function main () {
  const app = await NestFactory.create(Application, { logger: false })
  if (process.env.DOOR === 'door') app.use(require('loopscope')())
  await app.listen(0, '127.0.0.1')
  say(app.getHttpServer().address().port)
}
main()
`

const FASTIFY = `
const blockForAWhile = require('./block')
${SAY}
async function main () {
  const app = require('fastify')()
  if (process.env.DOOR === 'door') await app.register(require('loopscope')().fastify)
  app.get('/stall/:id', async () => blockForAWhile())
  await app.listen({ port: 0, host: '127.0.0.1' })
  say(app.server.address().port)
}
main()
`

const KOA = `
const Koa = require('koa')
const Router = require('@koa/router')
const blockForAWhile = require('./block')
${SAY}
const app = new Koa()
if (process.env.DOOR === 'door') app.use(require('loopscope')().koa)
const router = new Router()
router.get('/stall/:id', context => { context.body = blockForAWhile() })
app.use(router.routes())
const server = app.listen(0, '127.0.0.1', () => say(server.address().port))
`

const HONO = `
import { Hono } from 'hono'
import { serve } from '@hono/node-server'
import blockForAWhile from './block.js'
${SAY}
const app = new Hono()
app.get('/stall/:id', context => context.req.param('id') && context.text(blockForAWhile()))
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => say(port))
`

const PRELOAD = ['--require', 'loopscope/register']

const NEST_ON_FASTIFY = NEST.replace('NestFactory.create(Application, {', "NestFactory.create(Application, new (require('@nestjs/platform-fastify').FastifyAdapter)(), {")

const HONO_COMMONJS = `
const { Hono } = require('hono')
const { serve } = require('@hono/node-server')
const blockForAWhile = require('./block')
${SAY}
const app = new Hono()
app.use('/stall/*', (context, next) => next())
app.get('/stall/:id', async context => context.text(context.req.param('id') && blockForAWhile()))
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => say(port))
`

const FASTIFY_MODULE = `
import fastify from 'fastify'
import blockForAWhile from './block.js'
${SAY}
const app = fastify()
app.get('/stall/:id', async () => blockForAWhile())
await app.listen({ port: 0, host: '127.0.0.1' })
say(app.server.address().port)
`

const KOA_MODULE = `
import Koa from 'koa'
import Router from '@koa/router'
import blockForAWhile from './block.js'
${SAY}
const app = new Koa()
const router = new Router()
router.get('/stall/:id', context => { context.body = blockForAWhile() })
app.use(router.routes())
const server = app.listen(0, '127.0.0.1', () => say(server.address().port))
`

const TRPC = `
const { initTRPC } = require('@trpc/server')
const { createHTTPServer } = require('@trpc/server/adapters/standalone')
const blockForAWhile = require('./block')
${SAY}
const { router, procedure } = initTRPC.create()
const orders = router({ slow: procedure.query(() => blockForAWhile()) })
const server = createHTTPServer({ router: router({ orders }) })
server.listen(0, '127.0.0.1', () => say(server.address().port))
`

const APOLLO = `
const { ApolloServer } = require('@apollo/server')
const { startStandaloneServer } = require('@apollo/server/standalone')
const blockForAWhile = require('./block')
${SAY}
const server = new ApolloServer({ typeDefs: 'type Query { orders: String }', resolvers: { Query: { orders: () => blockForAWhile() } }, stopOnTerminationSignals: false })
startStandaloneServer(server, { listen: { port: 0, host: '127.0.0.1' } }).then(({ url }) => say(Number(new URL(url).port)))
`

const APOLLO_ON_EXPRESS = `
const express = require('express')
const { ApolloServer } = require('@apollo/server')
const { expressMiddleware } = require('@as-integrations/express5')
const blockForAWhile = require('./block')
${SAY}
async function main () {
  const apollo = new ApolloServer({ typeDefs: 'type Query { orders: String }', resolvers: { Query: { orders: () => blockForAWhile() } }, stopOnTerminationSignals: false })
  await apollo.start()
  const app = express()
  if (process.env.DOOR === 'door') app.use(require('loopscope')())
  app.use('/graphql', express.json(), expressMiddleware(apollo))
  const server = app.listen(0, '127.0.0.1', () => say(server.address().port))
}
main()
`

const WS = `
const http = require('node:http')
const { WebSocketServer } = require('ws')
const blockForAWhile = require('./block')
${SAY}
const server = http.createServer()
new WebSocketServer({ server }).on('connection', socket => socket.on('message', () => socket.send(blockForAWhile())))
server.listen(0, '127.0.0.1', () => say(server.address().port))
`

const SOCKET_IO = `
const http = require('node:http')
const { Server } = require('socket.io')
const blockForAWhile = require('./block')
${SAY}
const server = http.createServer()
new Server(server).on('connection', socket => socket.on('stall', done => done(blockForAWhile())))
server.listen(0, '127.0.0.1', () => say(server.address().port))
`

/** @param {string} path */
const askGraph = path => (/** @type {number} */ port) => fetch(`http://127.0.0.1:${port}${path}`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query: 'query Orders { orders }' })
}).then(response => response.text())

/** @param {string} path */
const askPath = path => (/** @type {number} */ port) => fetch(`http://127.0.0.1:${port}${path}`).then(response => response.text())

/** @param {number} port */
async function askWebSocket (port) {
  const client = new (require('ws'))(`ws://127.0.0.1:${port}/live/4711`)
  client.on('open', () => client.send('stall'))
  await once(client, 'message')
  client.terminate()
}

/** @param {('polling' | 'websocket')[]} transports */
const askSocketIo = transports => async (/** @type {number} */ port) => {
  const client = require(path.join(PACKAGES, 'socket.io-client')).io(`http://127.0.0.1:${port}`, { transports, forceNew: true })
  await client.timeout(20_000).emitWithAck('stall')
  client.disconnect()
}

const NEST_PACKAGES = ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs']
const APOLLO_PACKAGES = ['@apollo/server', 'graphql']

const SERVERS = {
  'NestJS on Fastify': { file: 'app.js', text: NEST_ON_FASTIFY, packages: [...NEST_PACKAGES, '@nestjs/platform-fastify'] },
  'Fastify, ES modules': { file: 'app.mjs', text: FASTIFY_MODULE, packages: ['fastify'], hasEntryPoint: false },
  'Koa, ES modules': { file: 'app.mjs', text: KOA_MODULE, packages: ['koa', '@koa/router'], hasEntryPoint: false },
  tRPC: { file: 'app.js', text: TRPC, packages: ['@trpc/server'], route: 'GET /orders.slow', ask: askPath('/orders.slow'), hasEntryPoint: false },
  Apollo: { file: 'app.js', text: APOLLO, packages: APOLLO_PACKAGES, route: 'POST / query Orders', ask: askGraph('/'), hasEntryPoint: false },
  'Apollo on Express': { file: 'app.js', text: APOLLO_ON_EXPRESS, packages: [...APOLLO_PACKAGES, 'express', '@as-integrations/express5'], route: 'POST /graphql query Orders', ask: askGraph('/graphql') },
  ws: { file: 'app.js', text: WS, packages: ['ws'], route: 'GET /live/:id', ask: askWebSocket, hasEntryPoint: false },
  'Socket.IO, polling': { file: 'app.js', text: SOCKET_IO, packages: ['socket.io', 'socket.io-client'], route: 'POST /socket.io/', ask: askSocketIo(['polling']), hasEntryPoint: false },
  'Socket.IO, WebSocket': { file: 'app.js', text: SOCKET_IO, packages: ['socket.io', 'socket.io-client'], route: 'GET /socket.io/', ask: askSocketIo(['websocket']), hasEntryPoint: false },
  NestJS: { file: 'app.js', text: NEST, packages: [...NEST_PACKAGES, '@nestjs/platform-express'] },
  Fastify: { file: 'app.js', text: FASTIFY, packages: ['fastify'] },
  Koa: { file: 'app.js', text: KOA, packages: ['koa', '@koa/router'] },
  'Hono, ES modules': { file: 'app.mjs', text: HONO, packages: ['hono', '@hono/node-server'], ask: askPath('/stall/name'), hasEntryPoint: false },
  'Hono, CommonJS': { file: 'app.js', text: HONO_COMMONJS, packages: ['hono', '@hono/node-server'], ask: askPath('/stall/name'), hasEntryPoint: false }
}

for (const [name, { file, text, packages, route, ask, hasEntryPoint = true }] of Object.entries(SERVERS)) {
  const doors = { preload: { args: PRELOAD, env: {} }, ...(hasEntryPoint && { 'its own door': { args: [], env: { DOOR: 'door' } } }) }
  for (const [door, { args, env }] of Object.entries(doors)) {
    test(`${name} through ${door}: a stall with its culprit and its route, a profile, the same end`, { skip: skipWithout(...packages), timeout: 120_000 }, async t => {
      const cwd = makeApplication(t, { files: { [file]: text, 'block.js': BLOCK }, fixtures: [], packages })
      const app = start(t, [...args, file], { cwd, env: { ...OBSERVED, ...env } })
      const { stall } = await observe(app, { route, ask })
      assert.equal(stall.culprit.file, 'block.js')
      assert.deepEqual(await endOf(app), await endOf(start(t, [file], { cwd })))
    })
  }
}
