'use strict'

// Tells whether a path could have come from a path template of Express 4 or 5. Looser than the routers' own matching on
// purpose (any value fits a parameter): it chooses between templates that a router has already matched, it never routes.

const NAME = '(?:[\\w$\\u0080-\\uffff]+|"[^"]*")'

// Escaped character | named parameter with the slash before it, Express 4's (pattern) and modifier | wildcard | group | special.
const TOKENS = new RegExp(`\\\\(.)|(/?):${NAME}(?:\\([^)]*\\))?([?*+]?)|\\*${NAME}?|([{}])|[.$^[\\]|]`, 'g')

/**
 * @param {string} template
 * @param {{ isPrefix: boolean }} options  isPrefix: a mount path, which the path may go on after
 * @returns {RegExp | null} null for a template that is neither syntax
 */
function compileTemplate (template, { isPrefix }) {
  const source = template.replace(/\/+$/, '').replace(TOKENS, (token, escaped, slash, modifier, brace) => {
    if (escaped !== undefined) return token
    if (brace !== undefined) return brace === '{' ? '(?:' : ')?'
    if (slash !== undefined) return parameterSource(slash, modifier)
    return token[0] === '*' ? '.*' : `\\${token}`
  })
  try {
    return new RegExp(isPrefix ? `^${source}(?=/|$)` : `^${source}/?$`, 'i')
  } catch {
    return null
  }
}

/**
 * @param {string} slash
 * @param {string} modifier
 */
function parameterSource (slash, modifier) {
  const value = modifier === '*' || modifier === '+' ? '.+' : '[^/]+?'
  return modifier === '?' || modifier === '*' ? `(?:${slash}${value})?` : `${slash}${value}`
}

module.exports = { compileTemplate }
