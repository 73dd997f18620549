'use strict'

/**
 * Whether there is a process with this id, whoever's it is.
 * @param {number} pid
 */
function isAlive (pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it is there and belongs to another user.
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM'
  }
}

module.exports = { isAlive }
