'use strict'

// The package that an application called or installed, from a stack that has no function of the application: often one that it does not
// know of is at work below it. Pure.

const { packageOf } = require('./frame')

/** @import { Frame } from './frame' */

// What calls the application, and the middleware that it registers, is not what it called.
const DISPATCHERS = new Set([
  'express', 'express4', 'router', 'connect', 'koa', 'koa-compose', 'koa-convert', 'koa-router', '@koa/router', 'fastify', '@fastify/middie', '@fastify/express',
  'middie', 'reusify', 'avvio', 'find-my-way', '@hapi/hapi', '@hapi/call', 'restify', 'hono', '@hono/node-server', 'polka', 'h3', 'srvx', 'micro',
  'next', '@nestjs/core', '@nestjs/platform-express', '@nestjs/platform-fastify', 'rxjs', 'on-finished', 'on-headers', 'express-async-handler',
  'express-async-errors', 'bluebird', 'tslib', 'dd-trace', 'newrelic', 'shimmer', 'require-in-the-middle', 'import-in-the-middle'
])
// By these a middleware hands a request on: what follows is not its own.
const PASSING_ON = /(^|\.)(next|dispatch|done|hookIterator|nextLayer)$/
const INSTRUMENTATION = /^@(?:opentelemetry|sentry|elastic)\//

/**
 * @param {readonly Frame[]} frames  outermost first
 * @returns {string | null} the outermost that is not a framework which only passes requests on; null where no package is on the stack
 */
function calledPackage (frames) {
  const packages = frames.filter(({ origin }) => origin === 'dependency').map(({ file }) => packageOf(file))
  return packages.find(name => !DISPATCHERS.has(name) && !INSTRUMENTATION.test(name)) ?? packages[0] ?? null
}

/** @param {Frame} frame */
function isPassingOn ({ origin, file, name }) {
  return origin === 'dependency' && PASSING_ON.test(name) && DISPATCHERS.has(packageOf(file))
}

module.exports = { calledPackage, isPassingOn }
