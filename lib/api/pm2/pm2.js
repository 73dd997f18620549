'use strict'

// An application's part in the link to PM2. It sends and listens only where PM2's daemon is the parent of the process.

const { isMainThread } = require('node:worker_threads')
const { clusterWorkerId } = require('../../base/system/cluster-worker')
const { share } = require('../../probe/process/process-wide')

/** @import { Pm2Subject } from './pm2-link' */

// It outlives the applications: an action cannot be unregistered from PM2.
const SHARED_LINK = 'pm2-link.1'

/**
 * @param {{ pm2: boolean, pm2Mode: 'fork' | 'cluster' | null }} options  pm2Mode: how PM2 started the process
 * @param {Pm2Subject} subject
 */
function createPm2 ({ pm2: isWanted, pm2Mode }, subject) {
  const isParent = isWanted && isMainThread && isParentPm2(pm2Mode)
  /** @type {import('./pm2-link').Pm2Link | undefined} */
  let link
  return {
    start () {
      if (!isParent || link !== undefined) return
      link = share(SHARED_LINK, () => new (require('./pm2-link').Pm2Link)()) // loaded only under PM2
      link.add(subject)
    },

    stop () {
      link?.delete(subject)
      link = undefined
    }
  }
}

/**
 * In fork mode the application may create a cluster of its own: its workers start with PM2's file and have PM2's variables, but another
 * parent.
 * @param {'fork' | 'cluster' | null} mode
 */
function isParentPm2 (mode) {
  return typeof process.send === 'function' && mode !== null && (mode === 'cluster') === (clusterWorkerId() !== null)
}

module.exports = { createPm2 }
