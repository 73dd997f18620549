'use strict'

// node --require loopscope/register app.js (or --import): diagnostics without touching the application's code, with
// options from LOOPSCOPE_* variables. The one file that acts when it is required.

const { createRequire } = require('node:module')
const path = require('node:path')
const { isMainThread } = require('node:worker_threads')
const { isTestRunner } = require('./internal/test-runner')

/**
 * The default registry of the application's own prom-client, which its /metrics route serves already.
 * @returns {import('prom-client').Registry | undefined}
 */
function applicationRegistry () {
  const entry = process.argv[1]
  if (entry === undefined) return undefined
  try {
    return createRequire(path.resolve(entry))('prom-client').register
  } catch {
    return undefined // the application has none
  }
}

// Node loads preloaded modules in every worker thread again, and in the runner of node --test; the application runs in
// neither.
if (isMainThread && !isTestRunner()) {
  const registry = applicationRegistry()
  require('./diagnostics').observeProcess(registry && { registry })
}
