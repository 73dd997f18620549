'use strict'

// `top` on a terminal: draws once a second and after each key, until it is left. The terminal is as it was then, whatever happened.

const { setTimeout: sleep } = require('node:timers/promises')
const { actionsOf, afterAction } = require('./keys')
const { screenLines, sorted } = require('./screen')
const { findingLines } = require('../output/findings')

/** @import { Invocation } from '../commands' */
/** @import { Client, Watched } from './watch' */
/** @import { View } from './screen' */

const DRAW_MS = 1000

/**
 * @param {{ watched: Watched, client: Client }[]} watching  it may change
 * @param {Pick<Invocation, 'terminal' | 'signal'> & { times: number }} how
 */
async function runScreen (watching, { terminal, signal, times }) {
  /** @type {View} */
  let view = { all: [], selected: 0, sort: 0, isPaused: false, over: null }
  const left = new AbortController()
  const draw = () => {
    view = { ...view, all: watching.map(({ watched }) => watched), selected: Math.min(view.selected, watching.length - 1) }
    terminal.drawScreen(screenLines(view, terminal))
  }
  const showWhy = async () => {
    const { client } = watching.find(({ watched }) => watched === sorted(view)[view.selected]) ?? watching[0]
    view = { ...view, over: ['asking …'] }
    draw()
    const over = await client.json('/findings').then(answer => findingLines(answer, terminal), error => [error.message])
    if (view.over !== null) view = { ...view, over }
    draw()
  }
  terminal.openScreen()
  const release = terminal.onKeys(typed => {
    for (const action of actionsOf(typed)) {
      if (action === 'quit') left.abort()
      else if (action === 'interrupt') process.kill(process.pid, 'SIGINT') // as the terminal would, were keys not read one by one
      else if (action === 'why' && view.over === null) showWhy().catch(() => left.abort())
      else view = afterAction(view, action)
    }
    draw()
  })
  try {
    const until = AbortSignal.any([signal, left.signal])
    for (let drawn = 0; drawn < times && !until.aborted; drawn++) {
      if (!view.isPaused && view.over === null) draw()
      await sleep(DRAW_MS, undefined, { signal: until }).catch(() => {})
    }
    signal.throwIfAborted()
  } finally {
    release()
    terminal.closeScreen()
  }
}

module.exports = { runScreen }
