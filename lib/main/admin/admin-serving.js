'use strict'

// The admin surface's end on the main thread, wired: the observer serves it, and needs the main thread for what only it
// knows or may do.

const { createMainAnswers } = require('../observing/answers')
const { createRelay } = require('../../bridge/relay')
const { createSites } = require('./sites')
const { createAdminTally } = require('./tally')

/**
 * @param {object} parts
 * @param {(question: { type: string } & Record<string, unknown>, signal?: AbortSignal) => Promise<any>} parts.ask  the observer
 * @param {(message: { type: string } & Record<string, unknown>) => void} parts.send
 * @param {(event: any) => void} parts.onCaptured  of captures that it made
 * @param {Parameters<typeof createMainAnswers>[0]} parts.readings
 */
function createAdminServing ({ ask, send, onCaptured, readings }) {
  const answers = createMainAnswers(readings)
  const relay = createRelay({ ask })
  const sites = createSites({ ask, send })
  const tally = createAdminTally()

  /**
   * @param {string} name
   * @param {any} argument
   */
  function answer (name, argument) {
    return Object.hasOwn(answers, name) ? answers[name](argument) : sites.answer(name, argument)
  }

  /** @param {any} event */
  function hear (event) {
    if (event.name === 'log') sites.log(event)
    else if (event.name === 'count') tally.count(event.event)
    else onCaptured(event)
  }
  return { relay, sites, tally, answer, hear }
}

module.exports = { createAdminServing }
