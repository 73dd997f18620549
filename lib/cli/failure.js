'use strict'

// Errors of the command line: each has its own exit code, for scripts, and a remedy, for people.

const EXIT_CODES = Object.freeze({
  ok: 0,
  failed: 1,
  usage: 2,
  noProcess: 3,
  notInstrumented: 4,
  permission: 5,
  token: 6,
  unreachable: 7,
  notAttachable: 8,
  interrupted: 130
})

class Failure extends Error {
  /**
   * @param {keyof typeof EXIT_CODES} reason
   * @param {string} message  what happened
   * @param {string} [remedy] what to do
   */
  constructor (reason, message, remedy) {
    super(remedy === undefined ? message : `${message}\n${remedy}`)
    this.exitCode = EXIT_CODES[reason]
  }
}

module.exports = { Failure, EXIT_CODES }
