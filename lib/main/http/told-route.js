'use strict'

// What others tell of a request's route: the application, and the framework that matched it.

const { contextOn, takePlace } = require('./contexts/one-request')

/** @import { RequestContext } from './contexts/one-request' */

/**
 * @typedef {object} Framework  that says what its route is
 * @property {(subject: any) => string | null | undefined} readTemplate  null: no route answers; undefined: not known. Called as late as
 *   possible: the router may still be on its way
 * @property {(subject: any) => unknown[]} readHandlers  the functions that answer the route; what is no function is left out
 *
 * @typedef {object} Told
 * @property {string | undefined} template  by the application, which knows best
 * @property {Framework | undefined} framework
 * @property {any} subject  what that makes of the request
 */

/** On a request without a context of its own. */
const TOLD = Symbol('loopscope.told')

/**
 * For the application.
 * @param {object} request
 * @param {string} template
 */
function sayTemplate (request, template) {
  toldFor(request).template = template
}

/**
 * @param {any} request
 * @param {any} subject  what the framework makes of the request
 * @param {Framework} framework
 */
function giveTemplate (request, subject, framework) {
  const told = toldFor(request)
  told.framework = framework
  told.subject = subject
}

/** @param {any} request */
function hasTemplate (request) {
  return toldOf(request)?.framework !== undefined
}

/**
 * @param {any} request
 * @returns {Told} to be added to
 */
function toldFor (request) {
  takePlace(request)
  const known = toldOf(request)
  if (known !== undefined) return known
  const told = { template: undefined, framework: undefined, subject: undefined }
  const context = contextOn(request)
  if (context === undefined) request[TOLD] = told
  else context.told = told
  return told
}

/**
 * @param {any} request
 * @returns {Told | undefined}
 */
function toldOf (request) {
  return contextOn(request)?.told ?? request[TOLD]
}

/**
 * The same without a look at the request, where everybody has found its context.
 * @param {RequestContext} context
 */
function toldIn ({ response, told, request }) {
  return response === null ? toldOf(request) : told
}

module.exports = { giveTemplate, hasTemplate, sayTemplate, toldIn, toldOf }
