'use strict'

// What `loopscope/register` means where a preload is named by its path: node --require /app/node_modules/loopscope/register.
// By its bare name the package's `exports` lead past this file.

require('./lib/register')
