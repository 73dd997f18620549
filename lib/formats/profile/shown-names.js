'use strict'

// The name under which a function is shown to people and tools. V8's own name is not sufficient in three cases: `run` is the native part of a dozen
// APIs of Node.js and of every database, `from` is Buffer.from, and code from `new Function` and `eval` is in no file. Pure.

const { EXPRESSION, packageOf, placeOf } = require('./frame')
const { isSynchronous, publicName, synchronousApi } = require('./node-api')

/** @import { Frame } from './frame' */

/**
 * @typedef {object} Callers  what a name needs of the stack above a function
 * @property {Frame | null} nearest  that is not native
 * @property {Frame | null} code     the nearest of the application or a package that is in a file
 * @property {{ frame: Frame | null, isSync: boolean } | null} entrance  the function of Node's own by which other code came there, and whether
 *   something synchronous ran in it; null where nothing in a file called it
 */

const NAMELESS = '(anonymous)'
// 'node:internal/crypto/hash' -> 'crypto/hash'
const SCHEME = /^node:(internal\/)?/

/** @type {Callers} */
const NONE = Object.freeze({ nearest: null, code: null, entrance: null })

/**
 * Gives the frames of a tree the names to be shown. Of what was one native function become as many as it has names.
 * @template {{ frame: Frame, children: Tree[] }} Tree
 * @param {Tree} root
 */
function showNames (root) {
  const known = new Map()
  /** @type {{ tree: Tree, caller: Callers }[]} */
  const waiting = [{ tree: root, caller: NONE }]
  for (const { tree, caller } of waiting) {
    const { frame } = tree
    const name = shownName(frame, caller)
    if (name !== frame.name) {
      if (!known.has(frame)) known.set(frame, new Map())
      const named = known.get(frame)
      if (!named.has(name)) named.set(name, { ...frame, name })
      tree.frame = named.get(name)
    }
    if (tree.children.length === 0) continue
    const below = callersBelow(frame, caller)
    for (const child of tree.children) waiting.push({ tree: child, caller: below })
  }
}

/**
 * @param {Frame[]} stack  innermost first, with V8's own names
 * @returns {Frame[]}
 */
function shownStack (stack) {
  let caller = NONE
  return stack.toReversed().map(frame => {
    const name = shownName(frame, caller)
    caller = callersBelow(frame, caller)
    return { ...frame, name }
  }).reverse()
}

/** @param {Frame} frame @param {Callers} above @returns {Callers} */
function callersBelow (frame, above) {
  if (frame.origin === 'native') return above
  if (frame.origin === 'node') {
    const { entrance } = above
    return {
      nearest: frame,
      code: above.code,
      entrance: entrance && { frame: entrance.frame ?? frame, isSync: entrance.isSync || isSynchronous(frame.name) }
    }
  }
  const isCode = frame.file !== '' && (frame.origin === 'app' || frame.origin === 'dependency')
  return {
    nearest: frame,
    code: isCode ? frame : above.code,
    entrance: frame.file === '' ? above.entrance : { frame: null, isSync: false }
  }
}

/**
 * @param {Frame} frame
 * @param {Callers} caller
 * @returns {string} V8's name, with the caller if the name alone is ambiguous
 */
function shownName (frame, caller) {
  if (frame.origin === 'native') return nativeName(frame.name, caller)
  if (frame.origin === 'node') return publicName(frame) ?? frame.name
  if (frame.origin === 'app' && frame.file === '') return calledBy(frame.name, caller)
  return frame.name
}

/** @param {string} name @param {Callers} caller */
function nativeName (name, caller) {
  const { nearest } = caller
  const origin = name.startsWith(EXPRESSION) ? undefined : nearest?.origin
  if (nearest !== null && origin === 'node') return prefixed(enteredApi(caller) ?? insideOf(nearest), name)
  if (name === NAMELESS) return calledBy(name, caller)
  return nearest !== null && origin === 'dependency' ? prefixed(packageOf(nearest.file), name) : name
}

/**
 * V8 has no name for some fast functions of Buffer and crypto: the name of the function of Node.js that calls them is sufficient.
 * @param {string} owner
 * @param {string} name
 */
function prefixed (owner, name) {
  return name === NAMELESS ? owner : `${owner}: ${name}`
}

/**
 * @param {Callers} caller  a function of Node's own
 * @returns {string | null} the synchronous API by which other code came there
 */
function enteredApi ({ entrance }) {
  return entrance === null || entrance.frame === null ? null : synchronousApi(entrance.frame, entrance.isSync)
}

/** @param {Frame} frame  of Node's own */
function insideOf ({ name, file }) {
  const part = file.replace(SCHEME, '')
  return publicName({ name, file }) ?? (name === NAMELESS ? part : `${part}.${name}`)
}

/** @param {string} name @param {Callers} caller */
function calledBy (name, { code }) {
  return code === null ? name : `${name} called by ${code.name} ${placeOf(code)}`
}

module.exports = { showNames, shownStack }
