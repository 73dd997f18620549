'use strict'

// The action `capture`: as anybody else's, with the trigger `rule`.

/** @type {import('../actors').Actor} */
async function capture ({ capture: kind, ...options }, occasion, { capture, signal }) {
  const { name, path, bytes, from, to } = await capture({ kind, options, trigger: 'rule' }, { signal })
  occasion.artifacts.push({ kind, name, path, bytes, from, to })
}

module.exports = { capture }
