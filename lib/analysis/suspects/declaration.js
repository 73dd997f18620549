'use strict'

// A snapshot knows where functions begin, not where a variable is declared. Where the source is at hand, that line is found in
// it. It is a guess by name, near the function that the snapshot names.

/** @import { Place } from './retainer-path' */
/** @import { Suspect } from './suspects' */

const IDENTIFIER = /^#?[A-Za-z_$][\w$]*$/

/**
 * @param {Suspect} suspect
 * @param {(file: string) => string | null} readSource
 * @returns {Suspect}
 */
function withDeclaration (suspect, readSource) {
  const { path, holds } = suspect
  // Of a global variable no function is on the way; its own file is often that of what it holds.
  const place = suspect.place ?? holds.find(holding => holding.place !== null)?.place ?? null
  const [name] = suspect.name.split(/\.on\(|: |\[Symbol\(/) // of what it is a part of
  const holder = path.findLast(step => step.name === name && (step.by === 'variable' || step.by === 'property'))
  if (place === null || holder === undefined || !IDENTIFIER.test(name)) return suspect
  const source = readSource(place.file)
  const line = source === null ? null : findLine(source, holder.by === 'variable' ? declares(holder.name) : assigns(holder.name), place)
  return line === null ? suspect : { ...suspect, place: { ...place, line } }
}

/**
 * A loop over it is no declaration of it.
 * @param {string} name
 */
function declares (name) {
  return new RegExp(`\\b(?:const|let|var|class|function)\\b(?:(?!\\b(?:of|in)\\b)[^;=])*(?<![\\w$.])${escape(name)}(?![\\w$])`)
}

/** @param {string} name */
function assigns (name) {
  return new RegExp(`(?:\\.|^\\s*|\\bstatic\\s+)${escape(name)}\\s*=[^=]`)
}

/** @param {string} name */
function escape (name) {
  return name.replaceAll('$', '\\$')
}

/**
 * The nearest line to the place, of those that match.
 * @param {string} source
 * @param {RegExp} pattern
 * @param {Place} place
 */
function findLine (source, pattern, place) {
  const lines = source.split('\n').flatMap((text, at) => pattern.test(text) ? [at + 1] : [])
  if (lines.length === 0) return null
  return lines.reduce((best, line) => Math.abs(line - place.line) < Math.abs(best - place.line) ? line : best)
}

module.exports = { withDeclaration }
