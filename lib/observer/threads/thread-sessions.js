'use strict'

// Sessions with all worker threads of the process, as they come and go, while somebody wants them: V8's domain NodeWorker is enabled then, and
// no longer. Our own threads are left out.

const { pathToFileURL } = require('node:url')
const { threadId } = require('node:worker_threads')
const { createThreadSession } = require('./thread-session')

/** @import { Attached, Post } from './thread-session' */

/** @typedef {ReturnType<typeof createThreadSession>} ThreadSession */

const OWN_URL = pathToFileURL(process.argv[1] ?? '').href // in a worker the file that it was made of

/**
 * @typedef {object} Inspector  the observer's session with the main thread
 * @property {() => Promise<unknown>} open  rejects where there is none
 * @property {Post} post  while it is open
 * @property {(event: string, listener: (message: { params: any }) => void) => () => void} listen  ends with what it returns
 */

/**
 * @param {Inspector} inspector
 * @param {(thread: ThreadSession) => void} onThread
 * @returns {Promise<{ close (): Promise<void> }>} rejects where there is no inspector
 */
async function openThreadSessions ({ open, post, listen }, onThread) {
  /** @type {Map<string, ThreadSession>} */
  const threads = new Map()
  await open()
  const ends = [
    listen('NodeWorker.attachedToWorker', ({ params }) => {
      const thread = createThreadSession(/** @type {Attached} */ (params), { post })
      if (isOurs(thread)) return
      threads.set(params.sessionId, thread)
      onThread(thread)
    }),
    listen('NodeWorker.receivedMessageFromWorker', ({ params }) => threads.get(params.sessionId)?.receive(params.message)),
    listen('NodeWorker.detachedFromWorker', ({ params }) => threads.get(params.sessionId)?.end())
  ]
  const close = async () => {
    for (const end of ends) end()
    for (const thread of threads.values()) thread.end()
    // With it all profilers that we started there end. A session that is closed has ended them already.
    await post('NodeWorker.disable').catch(() => {})
  }
  try {
    await post('NodeWorker.enable', { waitForDebuggerOnStart: false })
  } catch (error) {
    await close()
    throw error
  }
  return { close }
}

/** @param {ThreadSession} thread */
function isOurs ({ id, url }) {
  return id === threadId || url === OWN_URL
}

module.exports = { openThreadSessions }
