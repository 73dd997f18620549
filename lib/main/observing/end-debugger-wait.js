'use strict'

// Runs on the main thread, called by the observer through the inspector, while the main thread stands in
// inspector.waitForDebugger(). Without us that throws where no port is open, as nobody could come. With our session it waits,
// for ever: so the session goes, the wait is ended, and Node throws.

const { inspector } = require('../process/inspector')

/**
 * @param {() => void} release   has the observer let go of its session
 * @param {() => void} withdraw  it may take it up again
 */
function endDebuggerWait (release, withdraw) {
  if (inspector === undefined || inspector.url() !== undefined) return // somebody may come
  release()
  const session = new inspector.Session()
  session.connect()
  session.post('Runtime.runIfWaitingForDebugger')
  session.disconnect()
  withdraw()
}

module.exports = { endDebuggerWait }
