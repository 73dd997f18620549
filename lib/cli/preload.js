'use strict'

// Environment variables that make every Node.js process of a command preload loopscope.

const path = require('node:path')

const PRELOAD = path.join(__dirname, '..', 'register.js')

/** @param {NodeJS.ProcessEnv} env @returns {NodeJS.ProcessEnv} */
function withPreload (env) {
  // A path with spaces has to be quoted in NODE_OPTIONS.
  const option = `--require "${PRELOAD.replaceAll('\\', '\\\\')}"`
  // A program that is run for loopscope's sake is observed from its start.
  return { LOOPSCOPE_START_AT_ONCE: 'true', ...env, NODE_OPTIONS: [env.NODE_OPTIONS, option].filter(Boolean).join(' ') }
}

module.exports = { withPreload }
