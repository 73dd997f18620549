'use strict'

// node --require loopscope/register app.js (or --import): diagnostics without touching the application's code, with
// options from LOOPSCOPE_* variables. The one file that acts when it is required.

const { isMainThread } = require('node:worker_threads')
const { isTestRunner } = require('./base/system/runtime')

// Node loads preloaded modules in every worker thread again, and in the runner of node --test; the application runs in
// neither.
if (isMainThread && !isTestRunner()) {
  try {
    require('./api/preload').preload()
  } catch (error) {
    // Options of loopscope abort the start. Whatever else prevents it, such as an earlier preload that changes what JavaScript has, the application runs.
    if (/^ERR_LOOPSCOPE_/.test(/** @type {any} */ (error)?.code)) throw error
    try {
      require('./api/preload').reportUnobserved(error)
    } catch {}
  }
}
