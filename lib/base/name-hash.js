'use strict'

// A number for a name, in names of folders. It needs no secrecy, and every process makes one as it starts: node:crypto takes 4 ms to load in a thread.

// FNV-1a of 64 bits.
const OFFSET = 0xcbf29ce484222325n
const PRIME = 0x100000001b3n

/**
 * @param {string} text
 * @returns {string} 16 hexadecimal digits
 */
function nameHash (text) {
  let hash = OFFSET
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME)
  return hash.toString(16).padStart(16, '0')
}

module.exports = { nameHash }
