'use strict'

// What a file system says, as one of the store's own errors. It decides nothing but which.

const { errors } = require('../../shared/base/errors')

/** Disk, quota and file size limit: less data, or more room, mends it. */
const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/**
 * @param {unknown} error
 * @param {string} dir
 * @param {number} [bytes]  that were to be written
 * @returns {Error} the same error when it is one of ours already
 */
function toStoreError (error, dir, bytes = 0) {
  const { code = '', message } = /** @type {NodeJS.ErrnoException} */ (error)
  if (Object.hasOwn(errors, code)) return /** @type {Error} */ (error)
  const coded = isOutOfRoom(error)
    ? new errors.ERR_LOOPSCOPE_STORE_FULL(bytes, dir, message)
    : new errors.ERR_LOOPSCOPE_STORE_UNWRITABLE(dir, message)
  coded.cause = error
  return coded
}

/**
 * @param {unknown} error  of who wrote there, which may be anything
 * @param {string} dir
 * @returns {Error}
 */
function toGone (error, dir) {
  const coded = new errors.ERR_LOOPSCOPE_STORE_UNWRITABLE(dir, 'it, or what was being written to it, was removed meanwhile')
  coded.cause = error
  return coded
}

/**
 * @param {unknown} error
 * @returns {boolean} whether the file was too much for the disk
 */
function isOutOfRoom (error) {
  return NO_ROOM.has(/** @type {NodeJS.ErrnoException} */ (error).code ?? '')
}

module.exports = { toStoreError, toGone, isOutOfRoom }
