'use strict'

// Which route a path means. Exactly one or none: paths are not decoded, cleaned or completed before they are compared.

const PARAMETER = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/

/**
 * @template {{ path: string }} Route
 * @param {readonly Route[]} routes
 * @returns {(path: string) => { route: Route, params: Record<string, string> } | null}
 */
function createPathMatch (routes) {
  const plain = new Map(routes.filter(({ path }) => !path.includes(':')).map(route => [route.path, route]))
  const patterns = routes.filter(({ path }) => path.includes(':')).map(route => ({ route, parts: route.path.split('/') }))

  return path => {
    const route = plain.get(path)
    if (route !== undefined) return { route, params: {} }
    const given = path.split('/')
    for (const { route: candidate, parts } of patterns) {
      const params = matchParts(parts, given)
      if (params !== null) return { route: candidate, params }
    }
    return null
  }
}

/**
 * @param {string[]} parts
 * @param {string[]} given
 * @returns {Record<string, string> | null}
 */
function matchParts (parts, given) {
  if (parts.length !== given.length) return null
  /** @type {[string, string][]} */
  const params = []
  for (const [index, part] of parts.entries()) {
    if (!part.startsWith(':')) {
      if (part !== given[index]) return null
    } else if (PARAMETER.test(given[index])) {
      params.push([part.slice(1), given[index]])
    } else {
      return null
    }
  }
  return Object.fromEntries(params)
}

module.exports = { createPathMatch }
