'use strict'

// Our own work inside the user's: an interrupt runs in the middle of whatever the main thread does, and the exact
// detector's wrappers stand between a call and its caller; neither is what held the loop. Pure: a call tree in, a call tree
// out. What calls the user's code (the middleware) stays.

const path = require('node:path')
const { describeFrame } = require('../../../shared/formats/profile/frame')
const { OWN_FOLDER, WRAPPER_NAME } = require('../../../shared/base/own-files')

/** @import { EncodeContext } from '../../../../types/profile' */
/** @import { CallTree } from '../../../shared/formats/profile/call-tree' */

const WRAPPER = OWN_FOLDER + path.join('main', 'sync-calls', 'wrapping', 'wrapper.js')

// Seen on Node 22 and 24: once an interrupt has run in the middle of a regular expression, V8 files the rest of the expression's
// time under the native function that the interrupt called last. None of these takes long itself.
const INTERRUPT_NATIVES = new Set(['now', 'executionAsyncResource'])

/**
 * @param {Pick<EncodeContext, 'appRoot'>} context
 * @returns {(frame: CallTree['frame']) => boolean} whether a function is ours
 */
function createIsOwn (context) {
  const library = displayPath(OWN_FOLDER, context)
  return ({ file }) => file.startsWith(library)
}

/**
 * @param {Pick<EncodeContext, 'appRoot'>} context
 * @returns {(frame: CallTree['frame']) => boolean} whether a function only passes a call on
 */
function createIsWrapper (context) {
  const wrapper = displayPath(WRAPPER, context)
  return ({ file, name }) => file === wrapper || name === WRAPPER_NAME
}

/**
 * @param {string} file
 * @param {Pick<EncodeContext, 'appRoot'>} context
 */
function displayPath (file, context) {
  return describeFrame({ functionName: '', scriptId: '1', url: file, lineNumber: 0, columnNumber: 0 }, context).file
}

/**
 * The tree with what wrappers call hung under what calls the wrappers.
 * @param {CallTree} tree
 * @param {(frame: CallTree['frame']) => boolean} isWrapper
 * @returns {CallTree}
 */
function withoutWrappers (tree, isWrapper) {
  const children = []
  let { selfMicros } = tree
  for (const child of tree.children.map(one => withoutWrappers(one, isWrapper))) {
    if (!isWrapper(child.frame)) {
      children.push(child)
      continue
    }
    selfMicros += child.selfMicros
    children.push(...child.children)
  }
  return { ...tree, selfMicros, children }
}

/**
 * The tree with the time of our own work given to what it interrupted.
 * @param {CallTree} tree
 * @param {(frame: CallTree['frame']) => boolean} isOwn
 * @returns {CallTree}
 */
function withoutOwnWork (tree, isOwn) {
  const children = tree.children.filter(child => !isOwnWork(child, isOwn))
  const ownMicros = tree.children.reduce((sum, child) => children.includes(child) ? sum : sum + child.totalMicros, 0)
  return { ...tree, selfMicros: tree.selfMicros + ownMicros, children: children.map(child => withoutOwnWork(child, isOwn)) }
}

/**
 * @param {CallTree} tree
 * @param {(frame: CallTree['frame']) => boolean} isOwn
 */
function isOwnWork (tree, isOwn) {
  return isInterruptNative(tree.frame) || (isOwn(tree.frame) && !callsUserCode(tree, isOwn))
}

/** @param {CallTree['frame']} frame */
function isInterruptNative ({ origin, name }) {
  return (origin === 'native' || origin === 'node') && INTERRUPT_NATIVES.has(name)
}

/**
 * @param {CallTree} tree
 * @param {(frame: CallTree['frame']) => boolean} isOwn
 * @returns {boolean}
 */
function callsUserCode ({ children }, isOwn) {
  return children.some(child => (isUserCode(child) && !isOwn(child.frame)) || callsUserCode(child, isOwn))
}

/** @param {CallTree} tree */
function isUserCode ({ frame }) {
  return frame.origin === 'app' || frame.origin === 'dependency'
}

module.exports = { createIsOwn, createIsWrapper, withoutOwnWork, withoutWrappers }
