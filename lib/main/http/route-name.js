'use strict'

// The name of a route, `METHOD /path/:template`, as one text for the whole process: whoever looks it up in a map need not hash it anew for
// each request.

// The application may say a template of its own for each request.
const MAX_NAMES = 1000

/** @type {Map<string, Map<string, string>>} by template and method */
const names = new Map()

/**
 * @param {string} method
 * @param {string} template
 * @returns {string}
 */
function routeName (method, template) {
  return names.get(template)?.get(method) ?? learn(method, template)
}

/**
 * @param {string} method
 * @param {string} template
 */
function learn (method, template) {
  const name = `${method} ${template}`
  const known = names.get(template)
  if (known !== undefined) known.set(method, name)
  else if (names.size < MAX_NAMES) names.set(template, new Map([[method, name]]))
  return name
}

module.exports = { routeName }
