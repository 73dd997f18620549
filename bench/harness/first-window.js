'use strict'

/**
 * Seen at the door of the inspector: asking loopscope itself, again and again, would be work that is measured too.
 * @returns {Promise<void>} the recorder begins to record
 */
function firstWindow () {
  const { console: profiler } = require('node:inspector')
  const { profile } = profiler
  return new Promise(resolve => {
    profiler.profile = title => {
      profiler.profile = profile
      profile(title)
      resolve()
    }
  })
}

module.exports = { firstWindow }
