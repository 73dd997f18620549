'use strict'

// Reports the next callback that the event loop runs, right before it runs, other than loopscope's own, so that activity in an idle process is
// recorded from its beginning.
//
// It uses an async hook, enabled only while the process is idle: each callback that is not loopscope's disables it again. Promises are not tracked,
// which would slow them down for good; so work that only a promise wakes, without a callback of Node's (WebAssembly.compile(), Atomics.waitAsync()),
// is not reported.

const { createHook, executionAsyncId, triggerAsyncId } = require('node:async_hooks')
const { guarded } = require('../../base/guard')
const { outsideRequest } = require('../../base/timers')

const MAX_OWN = 20

const OUTSIDE = outsideRequest(executionAsyncId) // the context in which loopscope's timers start

/** Async ids of the ports that deliver the observer's messages. @type {Set<number>} */
const own = new Set()

/** Call it in the callback of a message from the observer. */
function noteOwnCallback () {
  const id = executionAsyncId()
  if (own.has(id)) return
  own.add(id)
  if (own.size > MAX_OWN) own.delete(/** @type {number} */ (own.values().next().value))
}

class NextCallback {
  #hook
  #isArmed = false

  /** @param {() => void} onCallback */
  constructor (onCallback) {
    const report = guarded(onCallback)
    this.#hook = createHook({
      trackPromises: false,
      before: id => {
        if (id === OUTSIDE || triggerAsyncId() === OUTSIDE || own.has(id)) return
        this.disarm()
        report()
      }
    })
  }

  arm () {
    if (this.#isArmed) return
    this.#isArmed = true
    this.#hook.enable()
  }

  disarm () {
    if (!this.#isArmed) return
    this.#isArmed = false
    this.#hook.disable()
  }
}

module.exports = { NextCallback, noteOwnCallback }
