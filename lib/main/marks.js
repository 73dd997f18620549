'use strict'

// The marks of the process: made here, or over the admin surface. Each observer is told of all of them.

const { Marks, newMark } = require('../shared/marks')

/** @import { Mark } from '../../types/diagnostics' */
/** @import { Tell } from '../bridge/channel' */

/** @param {{ tell: Tell }} parts */
function createProcessMarks ({ tell }) {
  const marks = new Marks()
  return {
    list: () => marks.list(),
    /** One of this moment. @param {string} text */
    make (text) {
      const mark = newMark(text)
      marks.add(mark)
      tell('keepMark', { mark })
      return mark
    },
    /** One that the observer made. @param {Mark} mark */
    add: mark => marks.add(mark),
    /** To the observer that runs now what the one before knew. */
    tellAll () {
      for (const mark of marks.list()) tell('keepMark', { mark })
    }
  }
}

module.exports = { createProcessMarks }
