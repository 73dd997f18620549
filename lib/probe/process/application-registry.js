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
  for (const name of inOrder(declaredIn(appRoot))) {
    try {
      return requireOfApp(name).register
    } catch {} // not installed, or not loadable by this Node.js
  }
  return undefined
}

/**
 * A declared dependency of the application comes first: the other may be installed only by a package, loopscope among them.
 * @param {string[]} declared
 */
function inOrder (declared) {
  const isDeclared = (/** @type {string} */ name) => declared.includes(name)
  return [...CLIENTS.filter(isDeclared), ...CLIENTS.filter(name => !isDeclared(name))]
}

/** @param {string} appRoot */
function declaredIn (appRoot) {
  try {
    const { dependencies = {} } = JSON.parse(fs.readFileSync(path.join(appRoot, 'package.json'), 'utf8'))
    return Object.keys(dependencies)
  } catch {
    return []
  }
}

module.exports = { findRegistry }
