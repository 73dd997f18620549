'use strict'

// Names the owners of memory for people. Pure; it requires nothing, because the page loads this file as a script (html-page.js).

/** @import { MemoryOwnerName } from '../../../types/memory' */

/** @type {Readonly<Record<string, string>>} */
const OWNERS = Object.freeze({
  heap: 'JavaScript heap, in use',
  'heap-free': 'JavaScript heap, free but kept',
  worker: 'worker thread',
  loopscope: "loopscope's own thread",
  buffers: 'Buffers',
  external: 'other external memory',
  code: 'code and mapped files',
  stacks: 'thread stacks',
  native: 'native memory'
})

/**
 * @param {MemoryOwnerName} owner
 * @param {string | null} [name]  of a worker thread
 */
function ownerText (owner, name = null) {
  const text = OWNERS[owner] ?? owner
  return name === null ? text : `${text} ${name}`
}

module.exports = { ownerText }
