'use strict'

// Applications of other frameworks than Express, each through the door that docs/frameworks.md names.

const assert = require('node:assert/strict')
const test = require('node:test')
const { skipWithout } = require('./installed')
const { makeApplication, start, endingOf } = require('./environment')
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
app.get('/stall/:id', context => context.text(blockForAWhile()))
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => say(port))
`

/** Fastify, Koa and Hono have routers of their own, which the preload cannot ask. */
const UNKNOWN = '_unmatched'
const PRELOAD = ['--require', 'loopscope/register']

const SERVERS = {
  NestJS: { file: 'app.js', text: NEST, packages: ['@nestjs/common', '@nestjs/core', '@nestjs/platform-express', 'reflect-metadata', 'rxjs'], preloadedRoute: 'GET /stall/:id' },
  Fastify: { file: 'app.js', text: FASTIFY, packages: ['fastify'], preloadedRoute: UNKNOWN },
  Koa: { file: 'app.js', text: KOA, packages: ['koa', '@koa/router'], preloadedRoute: UNKNOWN },
  Hono: { file: 'app.mjs', text: HONO, packages: ['hono', '@hono/node-server'], preloadedRoute: UNKNOWN, hasDoor: false }
}

/** @param {ReturnType<typeof start>} app */
async function endOf (app) {
  await app.until(/^listening$/)
  app.child.kill('SIGTERM')
  return endingOf(app)
}

for (const [name, { file, text, packages, preloadedRoute, hasDoor = true }] of Object.entries(SERVERS)) {
  const doors = { preload: { args: PRELOAD, env: {}, route: preloadedRoute }, ...(hasDoor && { 'its own door': { args: [], env: { DOOR: 'door' }, route: 'GET /stall/:id' } }) }
  for (const [door, { args, env, route }] of Object.entries(doors)) {
    test(`${name} through ${door}: a stall with its culprit in ${route}, a profile, the same end`, { skip: skipWithout(...packages), timeout: 120_000 }, async t => {
      const cwd = makeApplication(t, { files: { [file]: text, 'block.js': BLOCK }, fixtures: [], packages })
      const app = start(t, [...args, file], { cwd, env: { ...OBSERVED, ...env } })
      const { stall } = await observe(app, { route })
      assert.equal(stall.culprit.file, 'block.js')
      assert.deepEqual(await endOf(app), await endOf(start(t, [file], { cwd })))
    })
  }
}
