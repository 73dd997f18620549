'use strict'

// Finds the line on which a function probably keeps what it allocates: V8 knows the function, not the line. It is the only line of the function that adds
// something to a collection, a listener or a timer; where there are several, or none, no line is named. Pure but for the source lines.

/** @import { AllocationSite } from '../../../../types/memory' */
/** @import { CodeFrame } from '../../../../types/diagnostics' */
/** @import { SourceLines } from '../../stalls/culprit/source-lines' */

const MAX_LINES = 150
const MAX_TEXT = 120

const KEEPS = Object.freeze(/** @type {[string, RegExp][]} */ ([
  ['timers', /(?:^|[^\w.])(?:setInterval|setTimeout)\s*\(/],
  ['listeners', /([\w$.[\]]+)\s*\.\s*(?:on|once|addListener|prependListener|addEventListener|subscribe)\s*\(/],
  ['listeners', /(?:^|[^\w.$])(?:once|addAbortListener)\s*\(\s*([\w$.]+)\s*,/], // of node:events
  ['Map', /([\w$.[\]]+)\s*\.\s*set\s*\(/],
  ['Set', /([\w$.[\]]+)\s*\.\s*add\s*\(/],
  ['Array', /([\w$.[\]]+)\s*\.\s*(?:push|unshift)\s*\(/],
  ['object', /([\w$.]+)\s*\[[^\]]+\]\s*(?:\?\?|\|\|)?=(?![=>])/],
  ['promises', /\b(?:new Promise|Promise\s*\.\s*race)\s*\(/]
]))
// What belongs to a request, and goes with it.
const PASSING = /(?:^|\.)(?:req|res|request|response|reply|ctx|headers?|params|searchParams|stream|span|log|logger)$/i
const NOT_CODE = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|\/\/.*$|\/\*.*?\*\//g

/**
 * @param {readonly CodeFrame[]} chain  functions, innermost first
 * @param {string | null} holder  what the stack shows of it
 * @param {Pick<SourceLines, 'read'>} source
 * @returns {{ keptAt: NonNullable<AllocationSite['keptAt']>, holder: string } | null}
 */
function keptLineOf (chain, holder, source) {
  const isKind = KEEPS.some(([kind]) => kind === holder) // else sockets and the like, which a collection may hold
  for (const place of chain) {
    const all = linesThatKeep(place, source).filter(({ kind }) => !isKind || kind === holder || (holder === 'Map' && kind === 'object'))
    const collections = all.filter(({ kind }) => kind !== 'promises')
    const found = collections.length > 0 ? collections : all
    if (new Set(found.map(({ line }) => line)).size > 1) return null
    if (found.length === 0) continue
    const [{ line, text, kind }] = found
    return { keptAt: { file: place.file, line, text: text.replace(/\p{Cc}+/gu, ' ').trim().slice(0, MAX_TEXT) }, holder: holder ?? (kind === 'object' ? 'Map' : kind) }
  }
  return null
}

/**
 * @param {CodeFrame} place  where a function begins
 * @param {Pick<SourceLines, 'read'>} source
 */
function linesThatKeep ({ file, line, column }, source) {
  const lines = file === '' || line === 0 ? [] : bodyOf(source.read(file, line, line + MAX_LINES), column)
  const body = lines.map(({ code }) => code).join('\n')
  const parameters = /^[^{]*?(?:=>|\{)/.exec(body)?.[0] ?? ''
  return lines.flatMap(({ code, text }, index) => KEEPS.flatMap(([kind, pattern]) => {
    const match = pattern.exec(code)
    if (match === null || isPassing(match[1], body, parameters)) return []
    return [{ line: line + index, text, kind }]
  }))
}

/**
 * The code of a function, by its brackets.
 * @param {string[]} texts
 * @param {number} column
 */
function bodyOf (texts, column) {
  const lines = []
  let depth = 0
  for (const [index, text] of texts.entries()) {
    const code = (index === 0 ? text.slice(Math.max(0, column - 1)) : text).replace(NOT_CODE, "''")
    lines.push({ code, text })
    for (const character of code) {
      if ('{(['.includes(character)) depth++
      if ('})]'.includes(character)) depth--
      if (depth < 0) return lines // what it is an argument of
    }
    if (depth === 0) return lines
  }
  return lines
}

/**
 * Whether it belongs to the call: a local variable, a parameter, or what belongs to a request.
 * @param {string | undefined} holder
 * @param {string} body
 * @param {string} parameters
 */
function isPassing (holder, body, parameters) {
  if (holder === undefined) return false
  const name = /^[\w$]+/.exec(holder)?.[0]
  if (name === undefined || PASSING.test(holder)) return true
  const word = name.replace(/\$/g, '\\$&')
  return name !== 'this' && (new RegExp(`\\b(?:const|let|var)\\s+(?:[{[][^=]*)?${word}(?![\\w$])`).test(body) || new RegExp(`(?<![\\w$.])${word}(?![\\w$])`).test(parameters))
}

module.exports = { keptLineOf }
