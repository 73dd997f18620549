'use strict'

// Finds a call in the source text. V8 does not interrupt a native call, nor JSON.parse(): if no stack could be read inside one, the text
// shows on which line of the function the call stands, or which builtin is called on the line. Pure.

/** @typedef {{ line: number, column: number }} Position  from 1 */

const CALLBACK = /\.(?:map|flatMap|filter|reduce|forEach|some|every|find\w*|sort|toSorted)\([^=]*=>/g
const CALL = /[\w$\])]\(/

/** Builtins that take long and that V8 neither samples as functions nor always interrupts. */
const BUILTINS = /(?<![\w$.])(JSON\.parse|JSON\.stringify|structuredClone|Atomics\.wait|Intl\.\w+|RegExp) *\(|\.(postMessage) *\(/g

// With a value, a new Date does not read the clock.
const READS_CLOCK = /\bnew Date\b(?! *\( *[^)\s])|\b(Date\.now|performance\.now|process\.hrtime(\.bigint)?) *\(/

/**
 * @param {string[]} lines   from the start of the function
 * @param {Position} begin   of the function
 * @param {string} name      of what it calls; as a regular expression
 * @param {Position} [before]  where the function stood a little later
 * @returns {Position | null} the last call before `before`; without it the first call
 */
function findCall (lines, begin, name, before) {
  const pattern = new RegExp(`(?<![\\w$])${name} *\\(`, 'g')
  /** @type {Position | null} */
  let found = null
  for (const [index, text] of lines.slice(0, lengthOf(lines)).entries()) {
    if (isComment(text)) continue
    for (const match of text.matchAll(pattern)) {
      const at = { line: begin.line + index, column: match.index + 1 }
      if (index === 0 && at.column < begin.column) continue
      if (isDeclaration(text, match.index)) continue
      if (before === undefined) return at
      if (at.line > before.line || (at.line === before.line && at.column > before.column)) return found
      found = at
    }
  }
  return found
}

/**
 * The call of a package whose function has another name inside: `_.merge()` of lodash, `marked.parse()`.
 * @param {string[]} file  all lines
 * @param {Position} begin  of the function
 * @param {string} packageName
 * @returns {Position | null} null also where the function calls the package on several lines
 */
function findPackageCall (file, begin, packageName) {
  const [first, ...others] = packageCallsIn(file, begin, packageName)
  return first !== undefined && others.every(({ line }) => line === first.line) ? { line: first.line, column: first.column + first.name.lastIndexOf('.') + 1 } : null
}

/**
 * What a function calls of a package, by the names under which its file has the package.
 * @param {string[]} file  all lines
 * @param {Position} begin  of the function
 * @param {string} packageName
 * @returns {(Position & { name: string })[]} in order
 */
function packageCallsIn (file, begin, packageName) {
  const names = importedNames(file.join('\n'), packageName)
  if (names.length === 0) return []
  const call = new RegExp(`(?<![\\w$.]|new )(?:${names.map(escaped).join('|')})(?:\\.[\\w$]+)*(?= *\\()`, 'g')
  const lines = file.slice(begin.line - 1)
  return lines.slice(0, lengthOf(lines)).flatMap((text, index) => isComment(text)
    ? []
    : [...text.matchAll(call)].filter(match => index > 0 || match.index >= begin.column).map(match => ({ line: begin.line + index, column: match.index + 1, name: match[0] })))
}

/**
 * @param {string} text  of a file
 * @param {string} packageName
 * @returns {string[]} the names under which it has the package, or parts of it
 */
function importedNames (text, packageName) {
  const from = `['"]${escaped(packageName)}(?:/[^'"]*)?['"]`
  const required = text.matchAll(new RegExp(`\\b(?:const|let|var) +([\\w$]+|\\{[^{}]*\\}) *= *(?:[\\w$.]+\\( *)?require\\( *${from}`, 'g'))
  const imported = text.matchAll(new RegExp(`\\bimport +([^'";]+?) +from +${from}`, 'g'))
  return [...required, ...imported].flatMap(([, names]) => names.split(/[{},]/)).flatMap(part => /([\w$]+)\s*$/.exec(part)?.[1] ?? [])
}

/** @param {string} text */
function escaped (text) {
  return text.replaceAll(/[^\w ]/g, '\\$&')
}

/**
 * @param {string} text  of a line
 * @returns {string | null} the builtin that is called there, if it is exactly one
 */
function builtinOn (text) {
  const calls = [...text.matchAll(BUILTINS)].filter(({ 0: call, index }) => !isPassedWork(text.slice(index + call.length)))
  const names = new Set(calls.map(([, name, method]) => name ?? method))
  return names.size === 1 ? [...names][0] : null
}

/**
 * Whether the arguments of a call are made by a callback that calls something: that may take the time as well, and V8 inlines it.
 * @param {string} text  from the arguments on
 */
function isPassedWork (text) {
  return [...text.matchAll(CALLBACK)].some(({ 0: head, index }) => CALL.test(bodyAt(text.slice(index + head.length))))
}

/** The rest of an argument, up to where its call ends. @param {string} text */
function bodyAt (text) {
  let depth = 0
  const end = [...text].findIndex(char => {
    depth += '([{'.includes(char) ? 1 : ')]}'.includes(char) ? -1 : 0
    return depth < 0
  })
  return end === -1 ? text : text.slice(0, end)
}

/**
 * @param {string} text
 * @param {number} column  of a call in V8: where the name of the called function begins
 * @returns {string | null}
 */
function nameAt (text, column) {
  return /^[\w$]+(?= *\()/.exec(text.slice(column - 1))?.[0] ?? null
}

/**
 * V8 stops a loop at its head and assigns samples to it, whatever native call takes the time in the loop: JavaScript is sampled on its own lines. If the
 * head calls nothing, the loop's only line takes the time, or the only one with a builtin that takes long.
 * @param {string[]} lines  from the head of the loop
 * @returns {{ line: number, column: number } | null} relative to the head, which is 0; null where there is no such loop
 */
function workOfLoop (lines) {
  const [head = ''] = lines
  const [, condition] = /^\s*(?:\w+:\s*)?(?:for|while)\s*\((.*)\)\s*\{\s*$/.exec(head) ?? []
  if (condition === undefined || /[\w$\])]\s*\(/.test(condition)) return null
  const length = lengthOf(lines)
  const isClosed = /^\s*\}/.test(lines[length - 1]) && indentOf(lines[length - 1]) === indentOf(head)
  const body = lines.slice(1, length - 1).map((text, index) => ({ text, line: index + 1 })).filter(({ text }) => !isComment(text))
  const [work, ...others] = body.length === 1 ? body : body.filter(({ text }) => builtinOn(text) !== null)
  return isClosed && work !== undefined && others.length === 0 && indentOf(work.text) > indentOf(head) ? { line: work.line, column: indentOf(work.text) + 1 } : null
}

// What is read, and what is done with it, in a loop that only waits: also by the libraries for dates.
const CLOCKS = /^(?:Date|Date\.now|performance\.now|process\.hrtime(?:\.bigint)?|moment|dayjs|DateTime\.(?:now|utc|local))$/
const COMPARES = /^(?:Number|BigInt|Math\..*|(?:.*\.)?(?:getTime|valueOf|toMillis|unix|diff|is(?:Before|After)))$/
const NO_CALL = /^(?:if|while|for|return|switch|catch)$/
const CALLED = /((?:[\w$#]|\.(?=[\w$#]))+)\s*\(/g
const UNREAD = /\/\/[^\n]*|\/\*[^]*?\*\/|(['"`])(?:\\.|(?!\1)[^\\])*\1/g

/**
 * The innermost loop around a line, or the first one behind it in the function that begins there, if all that the loop does is to wait until some time
 * has passed: it reads the clock, compares, and calls nothing else.
 * @param {string[]} lines
 * @param {number} at      the index of the line
 * @param {(name: string) => boolean} readsClock  of what is called there, beside the clock itself
 * @returns {number | null} the index of its line
 */
function waitLoopAt (lines, at, readsClock) {
  const text = lines.join('\n').replaceAll(UNREAD, part => part.replaceAll(/[^\n]/g, ' '))
  const lineOf = (/** @type {number} */ offset) => text.slice(0, offset).split('\n').length - 1
  const loops = loopsIn(text).map(loop => ({ ...loop, first: lineOf(loop.from), last: lineOf(loop.to) }))
  const end = at + lengthOf(lines.slice(at))
  const loop = loops.findLast(({ first, last }) => first <= at && at <= last) ?? loops.find(({ first, last }) => first > at && last < end)
  return loop !== undefined && isOnlyWaiting(text.slice(loop.from, loop.to), loops.filter(({ from, to }) => from > loop.from && to <= loop.to).length, readsClock) ? loop.first : null
}

/** @param {string} loop @param {number} inner  the number of loops in it @param {(name: string) => boolean} readsClock */
function isOnlyWaiting (loop, inner, readsClock) {
  const calls = [...loop.matchAll(CALLED)].map(([, name]) => name).filter(name => !NO_CALL.test(name))
  const isClock = (/** @type {string} */ name) => CLOCKS.test(name) || readsClock(name)
  return inner === 0 && calls.some(isClock) && calls.every(name => isClock(name) || COMPARES.test(name)) && /[<>]|\bis(?:Before|After)\b/.test(loop) && !/\b(?:await|yield)\b/.test(loop)
}

/**
 * @param {string} text  without comments and strings
 * @returns {{ from: number, to: number }[]}
 */
function loopsIn (text) {
  /** @type {Set<number>} */
  const ends = new Set()
  return [...text.matchAll(/(?<![\w$.])(while|for|do)\b\s*/g)].flatMap(({ 0: head, 1: keyword, index: from }) => {
    if (ends.has(from)) return []
    const begin = from + head.length
    if (keyword !== 'do') return text[begin] === '(' ? [{ from, to: statementEnd(text, closing(text, begin)) }] : []
    const whileAt = text.indexOf('while', statementEnd(text, begin))
    if (whileAt === -1) return []
    ends.add(whileAt)
    return [{ from, to: closing(text, text.indexOf('(', whileAt)) }]
  })
}

/** @param {string} text @param {number} from @returns {number} behind the statement that begins there */
function statementEnd (text, from) {
  const begin = from + /** @type {RegExpExecArray} */ (/^\s*/.exec(text.slice(from)))[0].length
  return text[begin] === '{' ? closing(text, begin) : begin + /** @type {RegExpExecArray} */ (/^[^;\n}]*;?/.exec(text.slice(begin)))[0].length
}

/** @param {string} text @param {number} open  the place of a bracket @returns {number} behind the one that closes it */
function closing (text, open) {
  return open + 1 + bodyAt(text.slice(open + 1)).length + 1
}

/**
 * A function ends with its first line if that leaves nothing open, else where a line with no more indentation closes something: enough for
 * code that people write.
 * @param {string[]} lines
 */
function lengthOf (lines) {
  const [first = '', second = ''] = lines
  if (/[^\s{([,=>&|+?:*]\s*$/.test(first.replace(/\/\/.*$/, '')) && !/^\s*[{.?:]/.test(second)) return 1
  const indent = indentOf(first)
  const end = lines.findIndex((text, index) => index > 0 && /^\s*[}\])]/.test(text) && indentOf(text) <= indent)
  return end === -1 ? lines.length : end + 1
}

/** @param {string} text */
function indentOf (text) {
  return text.length - text.trimStart().length
}

/** @param {string} text */
function isComment (text) {
  return /^\s*(\/\/|\/?\*)/.test(text)
}

/** @param {string} text @param {number} index */
function isDeclaration (text, index) {
  return /\bfunction\s*\*?\s*$/.test(text.slice(0, index))
}

module.exports = { builtinOn, escaped, findCall, findPackageCall, isPassedWork, lengthOf, nameAt, packageCallsIn, READS_CLOCK, waitLoopAt, workOfLoop }
