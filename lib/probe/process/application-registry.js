'use strict'

// Finds the default registry of the application's metrics client, which its /metrics route already serves. The two clients, prom-client and its
// successor, have separate registries.

const fs = require('node:fs')
const { createRequire } = require('node:module')
const path = require('node:path')

/** @import { Registry } from 'prom-client' */

const CLIENTS = Object.freeze(['@prometheus-io/client', 'prom-client'])

/**
 * @param {string} appRoot
 * @returns {Registry | undefined}
 */
function findRegistry (appRoot) {
  const requireOfApp = createRequire(path.join(appRoot, 'package.json'))
  const declared = declaredClients(appRoot)
  // The other may be installed only by a package, loopscope among them.
  for (const name of [...declared, ...CLIENTS.filter(name => !declared.includes(name))]) {
    try {
      return requireOfApp(name).register
    } catch {} // not installed, or not loadable by this Node.js
  }
  return undefined
}

/**
 * @param {string} appRoot
 * @returns {string[]} those among the dependencies of the application
 */
function declaredClients (appRoot) {
  try {
    const { dependencies = {} } = JSON.parse(fs.readFileSync(path.join(appRoot, 'package.json'), 'utf8'))
    return CLIENTS.filter(name => name in dependencies)
  } catch {
    return []
  }
}

module.exports = { declaredClients, findRegistry }
