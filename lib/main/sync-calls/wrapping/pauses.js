'use strict'

// Says whether a call is to be looked at. It counts the reasons why not: the detector is stopped, a watched call is
// running already (Node's appendFileSync calls fs.writeFileSync: the outermost is what the user wrote), or we are at work.

class Gate {
  #reasons = 1

  get isOpen () { return this.#reasons === 0 }

  close () { this.#reasons++ }

  reopen () { this.#reasons-- }

  /**
   * @template T
   * @param {() => T} work
   * @returns {T}
   */
  whileClosed (work) {
    this.close()
    try {
      return work()
    } finally {
      this.reopen()
    }
  }
}

module.exports = { Gate }
