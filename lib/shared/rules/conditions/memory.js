'use strict'

// Conditions on memory: what the system gives the process, and what V8 keeps after full collections. Pure.

const { assertInteger } = require('../../base/validate')

/** @import { ConditionRow } from '../conditions' */

/** @type {Readonly<Record<'rssBytes' | 'heapAfterGcBytes', ConditionRow>>} */
module.exports = Object.freeze({
  rssBytes: {
    needs: 'nothing',
    check: (path, value) => assertInteger(path, value, 1, Number.MAX_SAFE_INTEGER),
    read: ({ rssBytes }) => rssBytes
  },
  heapAfterGcBytes: {
    needs: 'heap',
    check: (path, value) => assertInteger(path, value, 1, Number.MAX_SAFE_INTEGER),
    read: ({ loop }) => loop.at(-1)?.heapAfterGcBytes ?? null
  }
})
