'use strict'

// The frameworks that keep the route to themselves, each asked in the way that it offers, without the application's help. What none
// of them knows is read from the request: by Express, by Next.js, or masked.

const { FastifyWatch } = require('./fastify')
const { HonoWatch } = require('./hono')
const { KoaWatch } = require('./koa')

function createFrameworks () {
  const fastify = new FastifyWatch()
  const koa = new KoaWatch()
  const hono = new HonoWatch()
  return {
    start: () => {
      fastify.start()
      hono.start()
    },
    /** A server has its first request: by then its application is loaded. */
    look: () => {
      koa.look()
      hono.look()
    },
    stop: () => {
      fastify.stop()
      koa.stop()
      hono.stop()
    }
  }
}

module.exports = { createFrameworks }
