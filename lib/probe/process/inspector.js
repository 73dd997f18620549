'use strict'

// Node's inspector, or undefined where Node was built without it. It is loaded with the library and never later: a module that a timer or a signal
// requires first can load after a test runner has torn down the file's modules (Jest then fails the whole run).

/** @type {typeof import('node:inspector') | undefined} */
let inspector
try {
  inspector = process.getBuiltinModule('node:inspector') // bundlers keep a require() in a try unchanged, also where there is no inspector
} catch {}

module.exports = { inspector }
