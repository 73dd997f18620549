'use strict'

// What an interrupt of ours leaves in the samples of what it interrupted, beside its own frames, which no window has
// (shared/formats/profile/own-frames.js). Pure: a call tree in, a call tree out.

/** @import { CallTree } from '../../../shared/formats/profile/call-tree' */

// Seen on Node 22 and 24: once an interrupt has run in the middle of a regular expression, V8 files the rest of the expression's
// time under the native function that the interrupt called last. None of these takes long itself.
const INTERRUPT_NATIVES = new Set(['now', 'executionAsyncResource'])

/**
 * The tree with that time given to the function above.
 * @param {CallTree} tree
 * @returns {CallTree}
 */
function withoutInterruptNatives (tree) {
  const children = tree.children.filter(({ frame }) => !isInterruptNative(frame))
  const micros = tree.children.reduce((sum, { frame, totalMicros }) => isInterruptNative(frame) ? sum + totalMicros : sum, 0)
  return { ...tree, selfMicros: tree.selfMicros + micros, children: children.map(withoutInterruptNatives) }
}

/** @param {CallTree['frame']} frame */
function isInterruptNative ({ origin, name }) {
  return (origin === 'native' || origin === 'node') && INTERRUPT_NATIVES.has(name)
}

module.exports = { withoutInterruptNatives }
