#!/usr/bin/env node
'use strict'

const { main } = require('../lib/cli/cli')

// Who reads through a pipe may have read enough: `loopscope metrics 1234 | head`.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', error => {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EPIPE') throw error
    process.exit()
  })
}

main(process.argv.slice(2), { env: process.env }).then(exitCode => { process.exitCode = exitCode })
