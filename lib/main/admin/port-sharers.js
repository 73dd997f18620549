'use strict'

// Those who share a port, the workers of a cluster, have one token, and one of them tells where the surface is. Every other process is
// alone, and is spared what finds the others.

const { makeBootToken } = require('../../shared/admin/tokens')

/**
 * @param {object} parts
 * @param {number | null} parts.clusterId  of a cluster worker
 * @param {string} parts.controlDir
 * @param {string} parts.appRoot
 */
function createPortSharers ({ clusterId, controlDir, appRoot }) {
  const group = clusterId === null ? null : require('../../shared/admin/worker-group').createWorkerGroup({ controlDir })
  return {
    areSeveral: group !== null,

    /** Whoever reads it in the log reaches any of them. */
    makeToken () {
      try {
        return group?.shared(`token-${digestOf(appRoot)}`, makeBootToken) ?? makeBootToken()
      } catch {
        return makeBootToken() // no directory that all could trust: each has its own, and says so
      }
    },

    /**
     * One line is enough for all of them.
     * @param {string} url
     */
    isFirst (url) {
      try {
        return group?.isFirst(`told-${digestOf(url + appRoot)}`) ?? true
      } catch {
        return true
      }
    }
  }
}

/** @param {string} text */
function digestOf (text) {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex').slice(0, 16)
}

module.exports = { createPortSharers }
