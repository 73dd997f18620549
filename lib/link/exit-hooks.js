'use strict'

// Detects the ends of a process that its 'exit' event does not report: process.reallyExit(), and a signal that it sends to itself and has no
// listener for. Node waits there for every session of another thread, and reports it on standard error.

const os = require('node:os')

const SIGNAL_NAMES = new Map(Object.entries(os.constants.signals).map(([name, number]) => [number, name]))

/**
 * @typedef {object} Internals  undocumented functions of `process`, which other tools wrap, too
 * @property {Function} [reallyExit]
 * @property {Function} [_kill]
 */

/**
 * @param {object} parts
 * @param {() => void} parts.release   the process is about to end
 * @param {() => void} parts.withdraw  it did not end
 */
function createExitHooks ({ release, withdraw }) {
  const process_ = /** @type {Internals} */ (/** @type {unknown} */ (process))
  /** @type {(() => void)[]} */
  let restores = []

  /**
   * A proxy, so that printing the function or counting its parameters shows Node's own.
   * @param {keyof Internals} name
   * @param {(...args: any[]) => boolean} isEnd
   */
  function wrap (name, isEnd) {
    const original = process_[name]
    if (typeof original !== 'function') return
    const replacement = new Proxy(original, {
      apply (target, self, args) {
        if (!isEnd(...args)) return Reflect.apply(target, self, args)
        release()
        try {
          return Reflect.apply(target, self, args)
        } finally {
          withdraw()
        }
      }
    })
    process_[name] = replacement
    // Code that wrapped this wrapper meanwhile keeps calling it, which does no harm.
    restores.push(() => { if (process_[name] === replacement) process_[name] = original })
  }

  function start () {
    if (restores.length > 0) return
    wrap('reallyExit', () => true)
    wrap('_kill', isOwnEnd)
  }

  function stop () {
    for (const restore of restores) restore()
    restores = []
  }

  return { start, stop }
}

/** The same check that Node makes before it waits. @param {number} pid @param {number} signal */
function isOwnEnd (pid, signal) {
  const isOwn = [0, -1, process.pid, -process.pid].includes(pid)
  return isOwn && signal > 0 && process.listenerCount(SIGNAL_NAMES.get(signal) ?? '') === 0
}

module.exports = { createExitHooks }
