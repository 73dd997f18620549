'use strict'

// Keys while `top` is on the screen: which view follows from one. Pure.

const { HELP, SORTS, sorted } = require('./screen')

/** @import { View } from './screen' */

/** @type {Readonly<Record<string, string>>} */
const ACTIONS = Object.freeze({
  q: 'quit',
  '\u0003': 'interrupt',
  s: 'sort',
  p: 'pause',
  ' ': 'pause',
  '?': 'help',
  h: 'help',
  w: 'why',
  '\r': 'why',
  '\n': 'why',
  k: 'up',
  '\u001b[A': 'up',
  '\u001bOA': 'up',
  j: 'down',
  '\u001b[B': 'down',
  '\u001bOB': 'down'
})
// eslint-disable-next-line no-control-regex -- arrows begin with it
const KEYS = /\u001b[[O][A-Z]|[^]/g

/**
 * @param {string} typed  may be several keys
 * @returns {string[]} what they ask for; '' where it is nothing
 */
function actionsOf (typed) {
  return (typed.match(KEYS) ?? []).map(key => ACTIONS[key] ?? '')
}

/**
 * @param {View} view
 * @param {string} action
 * @returns {View}
 */
function afterAction (view, action) {
  if (view.over !== null) return { ...view, over: null }
  const last = Math.max(0, sorted(view).length - 1)
  if (action === 'sort') return { ...view, sort: (view.sort + 1) % SORTS.length }
  if (action === 'pause') return { ...view, isPaused: !view.isPaused }
  if (action === 'help') return { ...view, over: [...HELP] }
  if (action === 'up') return { ...view, selected: Math.max(0, view.selected - 1) }
  if (action === 'down') return { ...view, selected: Math.min(last, view.selected + 1) }
  return view
}

module.exports = { actionsOf, afterAction }
