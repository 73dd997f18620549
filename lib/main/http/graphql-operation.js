'use strict'

// The operation of a GraphQL request, by its name: all of them come to one path. Read only from a body that the application has had
// parsed; the name is a client's choice, so it must look like one, and there is a bound on how many are told apart.

const MAX_OPERATIONS = 50
const MAX_READ = 4096

// A definition, whose name is followed by variables, directives or fields: not the words of a search.
const DEFINITION = /\b(query|mutation|subscription)\s+([_A-Za-z]\w{0,63})\s*[({@]/g
const NAME = /^[_A-Za-z]\w{0,63}$/

/** @type {Set<string>} */
const known = new Set()

/**
 * @param {any} request
 * @param {any} [subject]  what the framework makes of it
 * @returns {string} ` query Orders`; nothing where there is no operation with a name
 */
function operationOf (request, subject) {
  const body = request.body ?? subject?.body ?? subject?.request?.body
  if (typeof body?.query !== 'string') return ''
  const operation = nameOperation(body.query.slice(0, MAX_READ), body.operationName)
  if (operation === null || (!known.has(operation) && known.size === MAX_OPERATIONS)) return ''
  known.add(operation)
  return ` ${operation}`
}

/**
 * @param {string} document
 * @param {unknown} wanted  the operation's name where the document defines several
 */
function nameOperation (document, wanted) {
  const isNamed = typeof wanted === 'string' && NAME.test(wanted)
  for (const [, kind, name] of document.matchAll(DEFINITION)) {
    if (!isNamed || name === wanted) return `${kind} ${name}`
  }
  return null
}

module.exports = { operationOf }
