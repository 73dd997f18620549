'use strict'

// Node's inspector, or undefined where Node was built without it. Loaded with the library and never later: what a timer or a
// signal requires first can come after a test runner has torn the file's modules down (Jest fails the whole run for that).

/** @type {typeof import('node:inspector') | undefined} */
let inspector
try {
  inspector = process.getBuiltinModule('node:inspector') // bundlers leave a require() in a try as it is, also where there is none
} catch {}

module.exports = { inspector }
