'use strict'

// The Chrome DevTools Protocol over a WebSocket: questions and their answers. Node 20 has no WebSocket of its own.

const { once } = require('node:events')
const { WebSocket } = require('ws')
const { Failure } = require('../failure')

const MAX_MESSAGE_BYTES = 512 * 1024 * 1024 // profiles of large applications have tens of megabytes

/**
 * @param {string} url
 * @param {AbortSignal} signal
 */
async function connectInspector (url, signal) {
  const socket = new WebSocket(url, { maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false })
  try {
    await once(socket, 'open', { signal })
  } catch (error) {
    socket.terminate()
    throw new Failure('unreachable', `The inspector does not answer: ${/** @type {Error} */ (error).message}`)
  }
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  const waiting = new Map()
  let sequence = 0
  socket.on('message', data => {
    const { id, result, error } = JSON.parse(String(data))
    if (error) waiting.get(id)?.reject(new Failure('failed', `The inspector refuses: ${error.message}`))
    else waiting.get(id)?.resolve(result)
    waiting.delete(id)
  })
  const lost = new AbortController()
  socket.on('close', () => {
    lost.abort(new Failure('unreachable', 'The process ended, or closed its inspector.'))
    for (const { reject } of waiting.values()) reject(lost.signal.reason)
  })
  socket.on('error', () => {}) // 'close' follows

  return {
    /**
     * @param {string} method
     * @param {object} [params]
     * @returns {Promise<any>}
     */
    ask (method, params = {}) {
      const id = ++sequence
      return new Promise((resolve, reject) => {
        if (lost.signal.aborted) return reject(lost.signal.reason)
        waiting.set(id, { resolve, reject })
        socket.send(JSON.stringify({ id, method, params }), () => {}) // where it fails, 'close' follows
      })
    },
    /** Aborted with the Failure when the other end is gone. */
    lost: lost.signal,
    close: () => socket.close()
  }
}

module.exports = { connectInspector }
