'use strict'

// The action `capture`: as anybody else's, with the trigger `rule`.

/** @type {import('../actors').Actor} */
async function capture ({ capture: kind, ...options }, occasion, { capture, heapProfiles, signal }) {
  const { name, path, bytes, from, to, heapProfile } = await capture({ kind, options, trigger: 'rule' }, { signal })
  occasion.artifacts.push({ kind, name, path, bytes, from, to })
  if (heapProfile !== undefined) heapProfiles.set(name, heapProfile)
}

module.exports = { capture }
