'use strict'

// The name under which people and their tools see a function. V8's own does not do for two kinds: `run` is the native end of a dozen
// of Node's APIs and of every database, and what `new Function` and `eval` made is in no file. Pure.

const { packageOf, placeOf } = require('./frame')
const { isSynchronous, synchronousApi } = require('./node-api')

/** @import { Frame } from './frame' */

/** @typedef {{ frame: Frame, caller: Callers } | null} Callers  innermost first */

const NAMELESS = '(anonymous)'
// V8 names a compiled expression after its source, wherever it runs.
const EXPRESSION = 'RegExp: '
// 'node:internal/crypto/hash' -> 'crypto/hash'
const SCHEME = /^node:(internal\/)?/

/**
 * Gives the frames of a tree the names to be shown. Of what was one native function become as many as it has names.
 * @template {{ frame: Frame, children: Tree[] }} Tree
 * @param {Tree} root
 */
function showNames (root) {
  const known = new Map()
  /** @type {{ tree: Tree, caller: Callers }[]} */
  const waiting = [{ tree: root, caller: null }]
  for (const { tree, caller } of waiting) {
    const { frame } = tree
    const name = shownName(frame, caller)
    if (name !== frame.name) {
      if (!known.has(frame)) known.set(frame, new Map())
      const named = known.get(frame)
      if (!named.has(name)) named.set(name, { ...frame, name })
      tree.frame = named.get(name)
    }
    for (const child of tree.children) waiting.push({ tree: child, caller: { frame, caller } })
  }
}

/**
 * @param {Frame[]} stack  innermost first, with V8's own names
 * @returns {Frame[]}
 */
function shownStack (stack) {
  /** @type {Callers} */
  let caller = null
  return stack.toReversed().map(frame => {
    const name = shownName(frame, caller)
    caller = { frame, caller }
    return { ...frame, name }
  }).reverse()
}

/**
 * @param {Frame} frame
 * @param {Callers} caller
 * @returns {string} V8's name with what called it, where that name alone would not tell whose it is
 */
function shownName (frame, caller) {
  if (frame.origin === 'native') return nativeName(frame.name, caller)
  if (frame.origin === 'app' && frame.file === '') return calledBy(frame.name, caller)
  return frame.name
}

/**
 * @param {string} name
 * @param {Callers} caller
 */
function nativeName (name, caller) {
  let at = caller
  while (at?.frame.origin === 'native') at = at.caller
  const origin = name.startsWith(EXPRESSION) ? undefined : at?.frame.origin
  if (at !== null && origin === 'node') return prefixed(enteredApi(at) ?? insideOf(at.frame), name)
  if (name === NAMELESS) return calledBy(name, at)
  return at !== null && origin === 'dependency' ? prefixed(packageOf(at.frame.file), name) : name
}

/**
 * V8 has no name for some of Buffer's and crypto's fast functions: Node's own that calls them says it all.
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
function enteredApi (caller) {
  let isSync = false
  /** @type {Frame | undefined} */
  let entrance
  for (let at = caller; at !== null; at = at.caller) {
    const { frame } = at
    if (frame.origin === 'node') {
      isSync ||= isSynchronous(frame.name)
      entrance = frame
    } else if (frame.file !== '') return entrance === undefined ? null : synchronousApi(entrance, isSync)
  }
  return null
}

/** @param {Frame} frame  of Node's own */
function insideOf ({ name, file }) {
  const part = file.replace(SCHEME, '')
  return name === NAMELESS ? part : `${part}.${name}`
}

/**
 * @param {string} name
 * @param {Callers} caller
 */
function calledBy (name, caller) {
  for (let at = caller; at !== null; at = at.caller) {
    const { frame } = at
    if (frame.file !== '' && (frame.origin === 'app' || frame.origin === 'dependency')) return `${name} called by ${frame.name} ${placeOf(frame)}`
  }
  return name
}

module.exports = { showNames, shownStack }
