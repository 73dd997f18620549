'use strict'

// A whole collection of garbage at the same moment of every measured process. Left alone, V8's first one comes when some 12 MB are in use,
// which is while a small server answers its first requests if it has loaded a little more, and else later. It frees the shapes of objects
// that nobody holds just then; code that saw them and is not optimized yet stays slow for the life of the process: on Node 24
// process.nextTick() took 11 µs a request in place of 2 where a collection fell among the first thirty, of bare Express too.

const v8 = require('node:v8')
const { runInNewContext } = require('node:vm')

v8.setFlagsFromString('--expose-gc')

/** @type {() => void} */
const collectGarbage = runInNewContext('gc')

module.exports = { collectGarbage }
