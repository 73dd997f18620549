'use strict'

// What PM2 and a process say to each other over the process's IPC channel. PM2 has no description of it: this is what its daemon reads
// and sends (tried with 7). @pm2/io, which PM2 puts into processes by default, speaks the same beside us. Pure.

const ACTION_NAMES = Object.freeze(/** @type {const} */ (['loopscope:cpu', 'loopscope:why', 'loopscope:heap-profile']))

/** @typedef {typeof ACTION_NAMES[number]} ActionName */

/**
 * @typedef {object} Figure  a row of `pm2 describe`
 * @property {string} name
 * @property {string | number} value
 * @property {string} unit
 */

/**
 * The daemon adds up what it is told by name, so that those of @pm2/io stay.
 * @param {readonly Figure[]} figures
 */
function monitorMessage (figures) {
  return {
    type: 'axm:monitor',
    data: Object.fromEntries(figures.map(({ name, value, unit }) => [name, { value, unit, type: 'loopscope', historic: typeof value === 'number' }]))
  }
}

/** That there is an action, which `pm2 trigger` is refused without. @param {ActionName} name */
function actionMessage (name) {
  return { type: 'axm:action', data: { action_name: name, action_type: 'custom', arity: 1 } }
}

/**
 * @param {ActionName} name
 * @param {unknown} result  plain data
 * @param {number} at  milliseconds since the epoch
 */
function replyMessage (name, result, at) {
  return { type: 'axm:reply', data: { at, action_name: name, return: result } }
}

/**
 * PM2 sends the bare name, and an object where `pm2 trigger` was given a parameter.
 * @param {any} message
 * @returns {ActionName | null} null: it is not for us
 */
function readAction (message) {
  const name = typeof message === 'string' ? message : message?.msg
  return ACTION_NAMES.find(known => known === name) ?? null
}

module.exports = { ACTION_NAMES, actionMessage, monitorMessage, readAction, replyMessage }
