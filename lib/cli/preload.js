'use strict'

// The environment in which every Node.js of a command loads us first.

const path = require('node:path')

const PRELOAD = path.join(__dirname, '..', 'register.js')

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
function withPreload (env) {
  // In NODE_OPTIONS a path with spaces stands in quotes.
  const option = `--require "${PRELOAD.replaceAll('\\', '\\\\')}"`
  // Whoever runs a program with loopscope wants to see all of it.
  return { LOOPSCOPE_START_AT_ONCE: 'true', ...env, NODE_OPTIONS: [env.NODE_OPTIONS, option].filter(Boolean).join(' ') }
}

module.exports = { withPreload }
