'use strict'

// Captures as the main thread asks for them: the observer makes them, here they are counted.

const { createCaptureCounts } = require('./capture-counts')

/** @import { Ask } from '../../bridge/channel' */
/** @import { CapturedFacts, Order, StoreLocation } from '../../observer/captures' */

/**
 * @param {object} parts
 * @param {{ askWhenReady: Ask, hold <T>(work: () => Promise<T>): Promise<T> }} parts.observer
 */
function createCaptureOrders ({ observer }) {
  const counts = createCaptureCounts()
  return {
    counts,

    /**
     * @param {Order} order
     * @param {AbortSignal} [signal]
     * @returns {Promise<CapturedFacts>}
     */
    capture (order, signal) {
      return counts.around(order, signal, async () => {
        const ask = () => observer.askWhenReady('capture', { order }, signal)
        return order.trigger === 'api' ? observer.hold(ask) : ask()
      })
    },

    /**
     * Tells whether captures could be written, before one is needed.
     * @param {StoreLocation} location
     */
    async checkStore (location) {
      return observer.askWhenReady('prepareStore', { location })
    }
  }
}

module.exports = { createCaptureOrders }
