'use strict'

// The target of a request in its parts, as it was sent: nothing is decoded or cleaned up, so that no two spellings of a
// path can mean the same route.

/**
 * @param {string} target  `/diagnostics/stalls?limit=5`
 * @param {string} base    prefix without a slash at its end, '' for none
 * @returns {{ base: string, path: string, query: string } | null} null: not below the base
 */
function splitTarget (target, base) {
  if (!target.startsWith(base)) return null
  const rest = target.slice(base.length)
  if (rest !== '' && rest[0] !== '/' && rest[0] !== '?') return null
  const mark = rest.indexOf('?')
  const path = mark === -1 ? rest : rest.slice(0, mark)
  return { base, path: path === '' ? '/' : path, query: mark === -1 ? '' : rest.slice(mark + 1) }
}

module.exports = { splitTarget }
