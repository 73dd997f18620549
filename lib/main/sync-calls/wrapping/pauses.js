'use strict'

// When calls are not timed. Pauses overlap, so they are counted: the detector is stopped, a watched call is
// running already (Node's appendFileSync calls fs.writeFileSync: the outermost is what the user wrote), or we are at work.

class Pauses {
  #count = 1

  get isPaused () { return this.#count !== 0 }

  begin () { this.#count++ }

  end () { this.#count-- }

  /**
   * @template T
   * @param {() => T} work
   * @returns {T}
   */
  during (work) {
    this.begin()
    try {
      return work()
    } finally {
      this.end()
    }
  }
}

module.exports = { Pauses }
