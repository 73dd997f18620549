'use strict'

// The application says what the template of a request is. It says so in the middle of a request, so nothing here throws.

const { warnOnce } = require('../../shared/base/warnings')
const { sayTemplate } = require('./told-route')

/** @import { Logger } from '../../../types/diagnostics' */
/** @import { RouteContextPart } from './contexts/route-context' */

const TEMPLATE = /^\/[^\s\p{Cc}]{0,255}$/u

/**
 * @param {object} parts
 * @param {Pick<RouteContextPart, 'current'>} parts.context
 * @param {Pick<Logger, 'warn'>} parts.logger
 * @returns {(request: unknown, template: unknown) => void}
 */
function createSayRoute ({ context, logger }) {
  return function sayRoute (request, template) {
    try {
      if (typeof template !== 'string' || !TEMPLATE.test(template)) {
        return warnOnce(logger, 'LOOPSCOPE_WARN_ROUTE', 'a template is text of at most 256 characters that begins with "/" and has no spaces')
      }
      const found = requestBehind(request) ?? context.current()?.request
      if (found === undefined) return warnOnce(logger, 'LOOPSCOPE_WARN_ROUTE', 'it was not given a request, and none is being worked on')
      sayTemplate(found, template)
    } catch (error) {
      warnOnce(logger, 'LOOPSCOPE_WARN_INTERNAL', error)
    }
  }
}

/**
 * @param {any} given  a request of node:http, Express or Fastify, a context of Hono or Koa
 * @returns {object | undefined}
 */
function requestBehind (given) {
  return [given?.env?.incoming, given?.raw, given?.req, given].find(isRequest)
}

/** @param {any} value */
function isRequest (value) {
  return typeof value?.method === 'string' && typeof value.url === 'string' && typeof value.httpVersion === 'string'
}

module.exports = { createSayRoute }
