'use strict'

// The default registry of the metrics client that the application has, which its /metrics route serves already. The two
// clients, prom-client and its successor, have a registry each, which know nothing of one another.

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
    } catch {} // the application has none, or one that this Node.js cannot load
  }
  return undefined
}

/**
 * What the application itself asks for comes first: the other one may be there because a package, ours for one, brought it along.
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
