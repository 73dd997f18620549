'use strict'

// The name of an anonymous function that a framework called as the handler of a route, as the stack shows. Pure. It requires nothing, because the
// pages load this file as a script (html-page.js).

/** @import { CodeFrame, Culprit } from '../../../types/diagnostics' */

const NAMELESS = '(anonymous)'
const ROUTED = /^([A-Z]+) \//

/**
 * What stands above a handler and above no middleware, innermost first. Koa, and Hono where there is middleware, call both from one place.
 * @type {readonly (readonly { file: RegExp, function?: RegExp }[])[]}
 */
const CALLERS = [
  // Express 5 and 4, the latter also where it is installed under another name.
  [{ file: /(^|\/)node_modules\/router\/lib\/layer\.js$/ }, { file: /(^|\/)node_modules\/router\/lib\/route\.js$/ }],
  [{ file: /(^|\/)node_modules\/[^/]+\/lib\/router\/layer\.js$/ }, { file: /(^|\/)node_modules\/[^/]+\/lib\/router\/route\.js$/ }],
  [{ file: /(^|\/)node_modules\/fastify\/lib\/handle-request\.js$/ }],
  [{ file: /(^|\/)node_modules\/hono\/dist\/(cjs\/)?hono-base\.js$/, function: /#?dispatch$/ }]
]

/**
 * @param {Culprit} culprit
 * @param {{ route: string | null, stack: readonly CodeFrame[] }} stall
 * @returns {string} '(anonymous) GET handler', else the name that the culprit has
 */
function nameOfCulprit (culprit, { route, stack }) {
  const [, method] = ROUTED.exec(route ?? '') ?? []
  if (culprit.function !== NAMELESS || method === undefined) return culprit.function
  const at = stack.findIndex(frame => isCulprit(frame, culprit))
  const isHandler = at !== -1 && CALLERS.some(callers => callers.every((caller, depth) => isCalledBy(stack[at + 1 + depth], caller)))
  return isHandler ? `${NAMELESS} ${method} handler` : NAMELESS
}

/** @param {CodeFrame} frame @param {Culprit} culprit */
function isCulprit (frame, culprit) {
  // A frame has its hottest line where that is known, else the one on which the function begins.
  return frame.function === NAMELESS && frame.file === culprit.file && (frame.line === culprit.functionLine || frame.line === culprit.line)
}

/** @param {CodeFrame | undefined} frame @param {{ file: RegExp, function?: RegExp }} caller */
function isCalledBy (frame, caller) {
  return frame !== undefined && caller.file.test(frame.file) && (caller.function?.test(frame.function) ?? true)
}

module.exports = { nameOfCulprit }
