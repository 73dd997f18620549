'use strict'

// Finds the package that an application called or installed, from a stack without a function of the application: often an indirect dependency runs
// below it. Pure.

const { packageOf } = require('./frame')

/** @import { Frame } from './frame' */

/** @typedef {(file: string, name: string) => boolean} DependsOn  whether the package of a file declares another as a dependency */

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
 * A package answers for what it calls, but not for one that depends on it in turn: that one called first, and is called back now (body-parser
 * by raw-body).
 * @param {readonly Frame[]} frames  outermost first
 * @param {DependsOn} dependsOn
 * @returns {string | null} the outermost that answers; of frameworks that only pass requests on the innermost; null where no package is on the stack
 */
function calledPackage (frames, dependsOn) {
  const packages = frames.filter(({ origin }) => origin === 'dependency').map(({ file }) => ({ name: packageOf(file), file }))
  /** @type {Set<string>} the package that answers, and what it went through */
  let through = new Set()
  for (const { name, file } of packages) {
    if (through.has(name) || DISPATCHERS.has(name) || INSTRUMENTATION.test(name)) continue
    if ([...through].some(caller => dependsOn(file, caller))) through = new Set()
    through.add(name)
  }
  const [called = packages.at(-1)?.name ?? null] = through
  return called
}

/** @param {Frame} frame */
function isPassingOn ({ origin, file, name }) {
  return origin === 'dependency' && PASSING_ON.test(name) && DISPATCHERS.has(packageOf(file))
}

module.exports = { DISPATCHERS, calledPackage, isPassingOn }
