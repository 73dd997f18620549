'use strict'

// The engines that write a heap snapshot, by name. To add an engine, add one row here; test/heap/snapshot-engines.test.js runs over all.
//
// An engine runs on the main thread and blocks the whole process meanwhile. The file already exists, private and empty: an engine fills it and
// does not choose its mode.

const { errors } = require('../../base/errors')
const { ownRequire } = require('../../base/own-files')

const HEAPDUMP = 'heapdump'

/** @typedef {'built-in' | 'heapdump'} SnapshotEngineName */

/** @type {Readonly<Record<SnapshotEngineName, () => (file: string) => void>>} loads the engine, and returns it */
const SNAPSHOT_ENGINES = Object.freeze({
  'built-in': () => file => { process.getBuiltinModule('node:v8').writeHeapSnapshot(file) },
  heapdump: () => {
    const { writeSnapshot } = loadHeapdump()
    return file => {
      writeSnapshot(file, (/** @type {Error | null} */ error) => { // called before it returns
        if (error) throw error
      })
    }
  }
})

/** @throws ERR_LOOPSCOPE_ENGINE_MISSING */
function loadHeapdump () {
  const { env } = process // eslint-disable-line no-restricted-properties -- not loopscope's setting: it is the only way to configure heapdump
  const options = env.NODE_HEAPDUMP_OPTIONS
  try {
    // heapdump would take over SIGUSR2, and write unguarded to the working directory.
    env.NODE_HEAPDUMP_OPTIONS = options ?? 'nosignal'
    return ownRequire()(HEAPDUMP)
  } catch (error) {
    throw new errors.ERR_LOOPSCOPE_ENGINE_MISSING(HEAPDUMP, HEAPDUMP, /** @type {Error} */ (error).message.split('\n', 1)[0], HEAPDUMP)
  } finally {
    if (options === undefined) delete env.NODE_HEAPDUMP_OPTIONS
  }
}

module.exports = { SNAPSHOT_ENGINES }
