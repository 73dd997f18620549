'use strict'

const { Session } = require('node:inspector/promises')

/**
 * @param {() => unknown} work
 * @returns {Promise<object>} what V8's profiler saw of it, a sample every 100 µs
 */
async function record (work) {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 100 })
  await session.post('Profiler.start')
  await work()
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  return profile
}

module.exports = { record }
