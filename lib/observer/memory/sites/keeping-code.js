'use strict'

// Reads from the source of a function which of its lines add to something that outlives the call: a collection, a listener, a timer, a promise. Pure but for
// the source lines.

const { isBuiltin } = require('node:module')
const { posix } = require('node:path')
const { escaped } = require('../../stalls/culprit/call-in-source')

/** @import { CodeFrame } from '../../../../types/diagnostics' */
/** @import { SourceLines } from '../../stalls/culprit/source-lines' */

/**
 * @typedef {{ line: number, text: string, kind: string, rank: number }} Line  rank: 0 is best
 * @typedef {object} FileFacts  what the file of a function shows
 * @property {(name: string) => boolean} isOfModule  whether a variable of that name is declared by the file itself
 * @property {(name: string) => boolean} isLookup    whether the function of that name looks something up in what outlives it
 * @property {(receiver: string) => boolean} isEmptied  whether something is removed from it as well
 * @property {(receiver: string, method: string) => boolean} isOwn  whether it is a file that this one requires by a relative path, or what that exports, and
 *   the method is written there
 * @typedef {FileFacts & { place: CodeFrame, isConstructor: boolean, isOfCall?: boolean, lines: { code: string, text: string }[] }} Code  of a function;
 *   isOfCall: it is called on something that goes with the call
 * @typedef {FileFacts & { body: string, parameters: string, isConstructor: boolean }} Scope
 */

const MAX_LINES = 150
const MAX_FILE_LINES = 20_000
const MAX_ALIASES = 3
const MAX_REQUIRED = 50
const MAX_EXTENDED = 3

// How directly a line adds to something that outlives the call: itself, over a variable or a lookup, or by a name that only sounds like a lookup.
const DIRECT = 0
const LOOKED_UP = 1
const EMPTIED = 2 // is added: something is removed from it as well
const EMPTY = 4 // is added: what is kept holds nothing of what is allocated
const GUESSED = 8
/** Each group counts before the next one. */
const RANKS = Object.freeze([[DIRECT, LOOKED_UP], [EMPTIED, LOOKED_UP + EMPTIED], [EMPTY, LOOKED_UP + EMPTY, EMPTIED + EMPTY, LOOKED_UP + EMPTIED + EMPTY], [GUESSED]])

const INDEX = String.raw`\[(?!\s*(?:\d+|'')\s*\])(?:[^[\]]|\[[^[\]]*\])+\]` // a constant key does not grow anything

/** What follows the name of what keeps. */
const ADDS = Object.freeze(/** @type {[string, RegExp][]} */ ([
  ['listeners', /\s*\??\.\s*(?:on|once|addListener|prependListener|addEventListener|subscribe|use|addHook)\s*\(/g],
  ['listeners', /\s*\??\.\s*(?:get|post|put|patch|delete|all)\s*\((?=.*(?:\bfunction\b[^(]*)?\(\s*(?:_?re?q|request|ctx)\b[^()]*\)\s*(?:=>|\{))/g], // a route
  ['Map', /\s*\??\.\s*set\s*\(/g],
  ['Set', /\s*\??\.\s*add\s*\(/g],
  ['Array', /\s*\??\.\s*(?:push|unshift)\s*\(/g],
  ['Array', /\[\s*[\w$.#]+\.length\s*\]\s*=(?![=>])/g],
  ['object', new RegExp(String.raw`(?:\?\.)?${INDEX}\s*(?:\?\?|\|\|)?=(?![=>])`, 'g')],
  ['promises', /\s*\.\s*then\s*\(/g]
]))
/** The name of what keeps is the first group, if there is one. */
const KEEPS = Object.freeze(/** @type {[kind: string, pattern: RegExp, rank?: number][]} */ ([
  ['timers', /(?:^|[^\w.])(?:setInterval|setTimeout)\s*\(/],
  ['timers', /(?:^|[^\w$])(?:debounce|throttle)\s*\(/],
  ['listeners', /(?:^|[^\w.$])(?:once|addAbortListener)\s*\(\s*([\w$.]+)\s*,|=\s*(?:\w+\s*\.\s*)?on\s*\(\s*([\w$.]+)\s*,/], // of node:events
  ['listeners', /\bAbortSignal\s*\.\s*any\s*\(/, LOOKED_UP], // each of the signals refers to the new one while that has listeners
  ['object', /\bObject\s*\.\s*assign\s*\(\s*([\w$.#]+)\s*,/],
  ['Array', /(?<![\w$.#])((?:this\.)?[\w$.#]+)\s*=\s*(?:\[\s*\.\.\.\s*\1(?![\w$])|\1\s*\.\s*concat\s*\()/],
  ['object', /(?<![\w$.#])((?:this\.)?[\w$.#]+)\s*=\s*\{\s*\.\.\.\s*\1(?![\w$])/],
  // The value that is held refers to the object; a token at the end may be the object. Of other values that is not seen.
  ['FinalizationRegistry', /([\w$.#]*(?:registry|finalization|finalizer)\w*)\s*\.\s*register\s*\(\s*([\w$]+)\s*,(?=(?:(?!,\s*\2\s*\)).)*(?:=>.*(?<![\w$.])\2(?![\w$])|(?<![\w$.])\2(?![\w$]|\s*\??\.)))/i],
  ['FinalizationRegistry', /([\w$.#]*(?:registry|finalization|finalizer)\w*)\s*\.\s*register\s*\([^,]+,/i, LOOKED_UP],
  ['promises', /\b(?:new Promise|Promise\s*\.\s*race)\s*\(/],
  ['promises', /\bfor\s+await\b.*\bof\s+(?:on\s*\(\s*)?([\w$.#]+?)(?:\s*,|\.\w+\s*\()/], // perhaps for ever
  ['handles', /\bnew\s+(?:[\w$]+\.)*(?:MessageChannel|BroadcastChannel|EventSource|WebSocket)\s*\(|(?:^|[^\w$.])(?:fs\s*\.\s*)?watch(?:File)?\s*\(/],
  ['object URLs', /\bcreateObjectURL\s*\(/],
  ['sockets', /\bnew\s+(?:[\w$]+\.)*\w*(?:Agent|Pool|Client)\s*\(|(?:^|[^\w$.])http2\s*\.\s*connect\s*\(/], // these only where the stack shows sockets
  ['responses', /(?:^|[^\w$.])(?:https?\s*\.\s*(?:get|request)|(?:net|tls)\s*\.\s*(?:connect|createConnection)|(?:undici\s*\.\s*)?fetch)\s*\(/, EMPTY]
]))
/** What ends them. @type {Readonly<Record<string, RegExp>>} */
const CLOSES = Object.freeze({ handles: /\.\s*(?:close|terminate)\s*\(|\bunwatchFile\b/, timers: /\bclear(?:Timeout|Interval)\b/, 'object URLs': /\brevokeObjectURL\b/, sockets: /\.\s*(?:close|destroy)\s*\(/ })
/** @type {Readonly<Record<string, RegExp>>} */
const CLEARS = Object.freeze({ mark: /\bclearMarks\b/, measure: /\bclearMeasures\b/ })
const EMPTY_VALUE = String.raw`(?:\bnew\s+[\w$.]*(?:Map|Set|Array)\s*\(\s*\)|\[\s*\]|\{\s*\})`
// What is added holds nothing of what is allocated: a number that is counted up, or a collection that is empty yet, perhaps as a member beside the time.
const HOLDS_NOTHING = new RegExp(String.raw`(?:\?\?|\|\|)\s*0\s*\)?\s*[-+]|(?:${EMPTY_VALUE}|\{(?:\s*[\w$]+\s*:\s*(?:${EMPTY_VALUE}|[\d_]+|null|true|false|Date\.now\(\)|new Date\(\))\s*,?)+\s*\})[\s);]*$`)
// It ends by itself.
const SLEEPS = /new Promise\s*\(\s*\(?\s*([\w$]+)[^=]*=>\s*\{?\s*(?:setTimeout|setImmediate)\s*\(\s*\1(?![\w$])/
// It ends soon.
const SHORT_TIMER = /(?<![\w$])setTimeout(?=\s*\([^;]*,\s*\d[\d_]{0,4}\s*\))/g
const ASSIGNS = /(?<![\w$.#])((?:this\.)?[\w$#]+)\s*=\s*\{(.*)$/

const KINDS = new Set([...ADDS, ...KEEPS].map(([kind]) => kind).filter(kind => kind !== 'sockets'))

/** What a package keeps is added by a call of it: these lines count only where the stack shows the package. @type {Readonly<Record<string, RegExp>>} */
const CALLS = Object.freeze({
  'metric labels': /([\w$.#]+)\s*\.\s*(?:observe|inc|dec|set|labels|startTimer)\s*\(/,
  'compiled schemas': /([\w$.#]+)\s*\.\s*(?:compile|compileAsync|addSchema|validate)\s*\(/,
  'windows of jsdom': /\bnew\s+(?:[\w$]+\.)*JSDOM\s*\(/,
  'performance entries': /(?:^|[^\w$.])(?:performance\s*\.\s*)?(?<entry>mark|measure)\s*\(/,
  modules: /(?:^|[^\w$.])(?:require|import)\s*\(/,
  workers: /\bnew\s+(?:[\w$]+\.)*\w*Worker\s*\(/,
  'queued work': /(?:^|[^\w$.])((?:[\w$]+\.)*#?[\w$]*(?:limit|queue)\w*(?:\.\w+)?)\s*\(/i
})

// What belongs to a request, and goes with it; a client's interceptors do not.
const PASSING = /(?:^|(?<!interceptors)\.)(?:req|res|request|response|reply|ctx|headers?|params|searchParams|stream|span|log|logger)$/i
const OF_REQUEST = /^(?:req|res|request|response|reply|ctx)$/i
// What a request refers to, and outlives it: the application, and a connection that is kept alive.
const OUTLIVES = /\.(?:app|server)\.|\.(?:socket|connection)$/
// A signal that a function gets may be one of the whole process.
const SIGNAL = /^\w*signal$/i
// The state of a store, as its reducer gets it.
const REDUCED = /\(\s*(state|draft)\s*,\s*(?:action\b|\{\s*payload\b)/
const CONSTRUCTOR = /(?<![\w$.])constructor\s*$/
const LOOKUP = /^(?:get|find|lookup|ensure|at$)|(?:Of|For|By)$|^(?:fromEvent|interval|timer)$/ // the last are sources of RxJS
const WALK = /^(?:values|entries|keys)$|^(?:pipe|on|once|addListener|set|add)$/ // or it returns what it is called on
const KEYWORD = /^(?:if|for|while|return|await|typeof|switch|catch|new|super|import)$/
const CALLED = /(?<![\w$])([\w$#]+)\s*\(/g
/** `x ?? y`, as compilers write it for older engines. */
const COMPILED = /^\(([\w$]+)\s*=\s*(.+?)\)\s*!==\s*null\s*&&\s*\1\s*!==\s*void 0\s*\?\s*\1\s*:\s*/
/** A function, a variable or an export with a function, or a method. */
const DEFINED = /(?<![\w$.])function\b\s*\*?\s*([\w$]+)\s*\(|(?:\b(?:const|let|var)\s+|\bexports\.)([\w$]+)\s*=\s*(?:async\b\s*)?(?:function\b|\([^()]*\)\s*(?::[^=]+)?=>|[\w$]+\s*=>)|^\s+(?:(?:static|async|public|private|protected|override)\s+|\*\s*)*([\w$#]+)\s*\([^;]*\)\s*(?::[^;{}]+)?\{\s*$/
// These are called on other things most often.
const BUILTIN = new Set([Array, Map, Set, Promise, String, Object, Function].flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype)))
const LOOKS_UP = /(?<![\w$.])((?:this\.)?#?[\w$]+)\s*(?:\??\.\s*get\s*\(|\??\.?\[)/g
const REQUIRES = /(?:\brequire\s*\(|\bfrom|\bimport\s*\(?)\s*['"](\.[^'"]+)['"]/g
const ENDINGS = Object.freeze(['', '.js', '.mjs', '.cjs', '.ts', '/index.js', '/index.ts'])
const NOT_CODE = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|\/\/.*$|\/\*.*?\*\//g

/**
 * @param {CodeFrame} place  where a function begins
 * @param {Pick<SourceLines, 'read'>} source
 * @returns {Code}
 */
function codeOf (place, source) {
  const { file, line, column } = place
  const texts = file === '' || line === 0 ? [] : source.read(file, line, line + MAX_LINES)
  return { place, ...factsOf(file, source), isConstructor: texts.length > 0 && CONSTRUCTOR.test(texts[0].slice(0, Math.max(0, column - 1))), lines: bodyOf(texts, column) }
}

/**
 * @param {string} file
 * @param {Pick<SourceLines, 'read'>} source
 * @returns {FileFacts}
 */
function factsOf (file, source) {
  const has = (/** @type {RegExp} */ pattern) => source.read(file, 1, MAX_FILE_LINES).some(text => pattern.test(text))
  const isOfModule = (/** @type {string} */ name) => has(new RegExp(`^(?:export\\s+)?(?:const|let|var)\\s+(?:[{[][^=]*)?(?<![\\w$])${escaped(name)}(?![\\w$])`))
  return {
    isOfModule,
    isLookup: name => definedIn(file, new Set([name]), source, { isWithRequired: false }).some(place => {
      const { lines } = codeOf(place, source)
      return lines.some(({ code }) => [...code.matchAll(LOOKS_UP)].some(([, from]) => from.startsWith('this.') || isOfModule(from)))
    }),
    isOwn: (receiver, method) => {
      if (!/^[\w$]+$/.test(receiver)) return false
      const name = `(?<![\\w$])${escaped(receiver)}(?![\\w$])`
      const path = new RegExp(`\\b(?:(?:const|let|var)\\s+(?:\\{[^}]*)?${name}[^=]*=\\s*require\\s*\\(|import\\s[^'"]*${name}[^'"]*\\bfrom)\\s*['"](\\.[^'"]+)['"]`).exec(source.read(file, 1, MAX_FILE_LINES).join('\n'))?.[1]
      const required = path === undefined ? undefined : fileOf(posix.join(posix.dirname(file), path), source)
      return required !== undefined && definedIn(required, new Set([method]), source, { isWithRequired: false }).length > 0
    },
    isEmptied: receiver => receiver !== '' && has(new RegExp(`(?<![\\w$.#])${escaped(receiver)}\\s*(?:\\??\\.\\s*(?:delete|shift|pop|splice|clear|off|remove\\w*|unsubscribe)\\s*\\(|\\.length\\s*=(?!=))|\\bdelete\\s+${escaped(receiver)}\\s*\\[`))
  }
}

/**
 * What a function declares, and the functions that it is written in: what is local to one of them goes with its call.
 * @param {Code} own
 * @param {Code[]} callers
 * @returns {Scope}
 */
function scopeOf (own, callers) {
  const { file, line } = own.place
  const around = callers.filter(({ place, lines }) => place.file === file && place.line <= line && line < place.line + lines.length)
  const bodies = [own, ...around].map(({ lines }) => lines.map(({ code }) => code).join('\n'))
  return { ...own, body: bodies.join('\n'), parameters: bodies.map(body => /^[^{]*?(?:=>|\{)/.exec(body)?.[0] ?? '').join('\n') }
}

/** @param {Code} code @param {Scope} scope @param {string | null} holder @returns {Line[]} */
function linesThatKeep ({ place, lines }, scope, holder) {
  let before = ''
  const found = lines.flatMap(({ code, text }, index) => {
    const kept = keepsIn(code, before, scope, holder)
    before += `${code}\n`
    return kept.map(one => ({ line: place.line + index, text, ...one }))
  })
  const collections = found.filter(({ kind, rank }) => kind !== 'promises' && rank < GUESSED)
  return collections.length > 0 ? collections : found
}

/**
 * @param {string} code  of a line
 * @param {string} before  the lines before it
 * @param {Scope} scope
 * @param {string | null} holder
 * @returns {{ kind: string, rank: number }[]}
 */
function keepsIn (code, before, scope, holder) {
  if (SLEEPS.test(code)) return []
  const call = holder === null ? undefined : CALLS[holder]
  if (holder !== null && call !== undefined) {
    const match = call.exec(code)
    const entry = match?.groups?.entry
    if (match === null || (entry === undefined && match[1] !== undefined && rankOf(match[1], scope) === null)) return []
    return [{ kind: holder, rank: entry !== undefined && CLEARS[entry].test(scope.body) ? EMPTIED : DIRECT }]
  }
  const added = ADDS.flatMap(([kind, pattern]) => [...code.matchAll(pattern)].flatMap(({ 0: { length }, index }) => {
    const receiver = receiverBefore(before + code, before.length + index)
    if (scope.isOwn(receiver, /[\w$]+(?=\s*\(?$)/.exec(code.slice(index, index + length))?.[0] ?? '')) return [] // what it does is read there
    const rank = rankOf(receiver, scope) ?? (kind === 'listeners' && SIGNAL.test(receiver) && !/removeEventListener|=\s*AbortSignal\s*\.\s*any\b/.test(scope.body) ? LOOKED_UP : null)
    if (rank === null || rank === GUESSED) return rank === null ? [] : [{ kind, rank }]
    return [{ kind, rank: rank + (scope.isEmptied(receiver) ? EMPTIED : 0) + (HOLDS_NOTHING.test(code.slice(index + length)) ? EMPTY : 0) }]
  }))
  const kept = KEEPS.flatMap(([kind, pattern, ownRank = DIRECT]) => {
    if ((kind === 'sockets' || kind === 'responses') && holder !== 'sockets') return []
    const match = pattern.exec(code.replace(SHORT_TIMER, ''))
    const name = match?.[1] ?? match?.[2]
    const rank = match === null ? null : name === undefined ? DIRECT : rankOf(name, scope)
    return rank === null ? [] : [{ kind, rank: Math.max(rank, ownRank) + (CLOSES[kind]?.test(scope.body) && rank !== GUESSED ? EMPTIED : 0) }]
  })
  return [...added, ...kept, ...(isLinked(code, scope) ? [{ kind: 'linked list', rank: GUESSED }] : [])]
}

// It gets what is made of itself.
const WRAPS_ITSELF = /(?<![\w$.#])((?:this\.)?[\w$#]+)\s*=\s*(?:new\s+)?(?!Math\.)[\w$.]+\s*\((?:[^()]*,)?\s*\1\s*[,)]/

/**
 * Whether a variable outside gets an object that may refer to the one before it.
 * @param {string} code
 * @param {Scope} scope
 */
function isLinked (code, scope) {
  const [, wrapped] = WRAPS_ITSELF.exec(code) ?? []
  if (wrapped !== undefined && rankOf(wrapped, scope) === DIRECT) return true
  const [, name, rest] = ASSIGNS.exec(code) ?? []
  if (name === undefined || rankOf(name, scope) !== DIRECT) return false
  const word = `(?<![\\w$.#])${escaped(name)}(?![\\w$])`
  return new RegExp(word).test(rest) || new RegExp(`\\b(?:const|let|var)\\s+[\\w$]+\\s*=\\s*${word}\\s*(?:;|$)`, 'm').test(scope.body)
}

/** The code of a function, by its brackets. @param {string[]} texts @param {number} column */
function bodyOf (texts, column) {
  const lines = []
  let depth = 0
  for (const [index, text] of texts.entries()) {
    const code = (index === 0 ? text.slice(Math.max(0, column - 1)) : text).replace(NOT_CODE, text => text.startsWith('`') && text.includes('${') ? '_' : "''")
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
 * The expression that ends there, perhaps over several lines: names with their members, indexes and calls.
 * @param {string} code
 * @param {number} end
 */
function receiverBefore (code, end) {
  const last = isMember(code, end) ? code.slice(0, end).trimEnd().length : end
  let at = last
  while (at > 0) {
    const character = code[at - 1]
    if (character === ')' || character === ']') {
      at = openingOf(code, at - 1)
      if (at === -1) return ''
    } else if (/[\w$.#]/.test(character) || (character === '?' && code[at] === '.')) at--
    else if (/\s/.test(character) && isMember(code, at)) at = code.slice(0, at).trimEnd().length
    else break
  }
  return code.slice(at, last)
}

/** @param {string} code @param {number} at */
function isMember (code, at) {
  return /^\s*\??\.(?!\.)/.test(code.slice(at, at + 200))
}

/** @param {string} code @param {number} closing  index of a bracket */
function openingOf (code, closing) {
  let depth = 0
  for (let at = closing; at >= 0; at--) {
    if (')]}'.includes(code[at])) depth++
    if ('([{'.includes(code[at])) depth--
    if (depth === 0) return at
  }
  return -1
}

/**
 * How directly it outlives the call. What belongs to the call does not: a local variable, a parameter, or what belongs to a request.
 * @param {string} receiver
 * @param {Scope} scope
 * @param {number} [aliases]
 * @returns {number | null} null: it belongs to the call
 */
function rankOf (receiver, scope, aliases = 0) {
  const plain = withoutArguments(receiver.replace(/^\(+/, '').replaceAll('?.', '.')).replace(/\s+/g, '')
  const [name] = /^[\w$#]+/.exec(plain) ?? []
  if (name === undefined || KEYWORD.test(name)) return null
  const calls = [...plain.matchAll(/([\w$#]+)\(/g)].map(([, call]) => call)
  if (calls.some(call => !LOOKUP.test(call) && !WALK.test(call) && !scope.isLookup(call))) return null
  if (calls.length > 0 && isBuiltin(name)) return null // http.get() and the like
  const looked = calls.length > 0 ? LOOKED_UP : DIRECT
  if (OF_REQUEST.test(name)) return OUTLIVES.test(plain) ? looked : null
  if (PASSING.test(plain) && !(plain === name && scope.isOfModule(name))) return null
  if (name === 'this') return scope.isConstructor ? null : looked // what is being made
  const variable = initialOf(name, scope.body)
  if (variable !== null) {
    const rank = variable === '' || aliases === MAX_ALIASES ? null : rankOf(variable, scope, aliases + 1)
    return rank === null ? null : Math.max(rank, LOOKED_UP)
  }
  if (REDUCED.test(scope.parameters) && name === REDUCED.exec(scope.parameters)?.[1]) return LOOKED_UP
  if (new RegExp(`(?<![\\w$.])${escaped(name)}(?![\\w$])`).test(scope.parameters)) return null
  return plain[name.length] === '(' ? GUESSED : looked
}

/** @param {string} text @returns {string} the same with empty brackets */
function withoutArguments (text) {
  let depth = 0
  let kept = ''
  for (const character of text) {
    if (')]'.includes(character)) depth--
    if (depth === 0) kept += character
    if ('(['.includes(character)) depth++
  }
  return kept
}

/**
 * What a local variable begins as, where that is a member or an entry of something, or the result of a lookup.
 * @param {string} name
 * @param {string} body
 * @returns {string | null} null: it is no local variable; '': it begins as something else
 */
function initialOf (name, body) {
  const word = escaped(name)
  const [declaration, rest] = new RegExp(`\\b(?:const|let|var)\\s+(?:[{[][^=()]*)?(?<![\\w$])${word}(?![\\w$])(.*)`).exec(body) ?? []
  if (declaration === undefined) return null
  const [, written] = /^[^=]*?(?:=(?![=>])|\bof\b)\s*(.*)/.exec(rest) ?? []
  if (written === undefined) return ''
  const value = written.replace(COMPILED, '$2 ?? ')
  let end = 0
  for (let depth = 0; end < value.length; end++) {
    const character = value[end]
    if (depth === 0 && !/[\w$.#?([]/.test(character)) break
    if ('(['.includes(character)) depth++
    if (')]'.includes(character)) depth--
  }
  return /^\s*(?:$|[;,)]|\?\?|\|\|)/.test(value.slice(end)) ? value.slice(0, end) : ''
}

/**
 * @param {string} file
 * @param {Set<string>} names
 * @param {Pick<SourceLines, 'read'>} source
 * @param {{ isWithRequired?: boolean }} [where]  also in the files that it requires by a relative path
 * @returns {CodeFrame[]}
 */
function definedIn (file, names, source, { isWithRequired = true } = {}) {
  const others = isWithRequired ? requiredBy(file, source) : []
  return [file, ...others].flatMap(path => source.read(path, 1, MAX_FILE_LINES).flatMap((text, index) => {
    const match = DEFINED.exec(text)
    const name = match?.[1] ?? match?.[2] ?? match?.[3]
    return match !== null && name !== undefined && names.has(name) ? [{ function: name, file: path, line: index + 1, column: match.index + 1 }] : []
  }))
}

/**
 * @param {string} name  of a class
 * @param {string} file  that uses it
 * @param {Pick<SourceLines, 'read'>} source
 * @param {number} [depth]
 * @returns {CodeFrame[]} its constructor, and those of the classes that it extends, as far as they are written in the file or in one that it requires by a
 *   relative path
 */
function constructorsOf (name, file, source, depth = 0) {
  if (depth === MAX_EXTENDED) return []
  const isClass = new RegExp(`\\bclass\\s+${escaped(name)}(?![\\w$])(?:\\s+extends\\s+([\\w$]+))?`)
  for (const path of [file, ...requiredBy(file, source)]) {
    const texts = source.read(path, 1, MAX_FILE_LINES)
    const at = texts.findIndex(text => isClass.test(text))
    if (at === -1) continue
    const next = texts.findIndex((text, index) => index > at && /^\s*(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\s/.test(text))
    const line = texts.findIndex((text, index) => index >= at && (next === -1 || index < next) && /(?<![\w$.])constructor\s*\(/.test(text))
    const own = line === -1 ? [] : [{ function: name, file: path, line: line + 1, column: texts[line].indexOf('(', texts[line].indexOf('constructor')) + 1 }]
    const [, base] = isClass.exec(texts[at]) ?? []
    return base === undefined ? own : [...own, ...constructorsOf(base, path, source, depth + 1)]
  }
  return []
}

/**
 * @param {string} file
 * @param {Pick<SourceLines, 'read'>} source
 * @returns {string[]} the files that it requires by a relative path
 */
function requiredBy (file, source) {
  const required = [...source.read(file, 1, MAX_FILE_LINES).join('\n').matchAll(REQUIRES)].slice(0, MAX_REQUIRED).map(([, path]) => posix.join(posix.dirname(file), path))
  return required.map(path => fileOf(path, source)).filter(path => path !== undefined)
}

/** @param {string} path  as it is required @param {Pick<SourceLines, 'read'>} source */
function fileOf (path, source) {
  return ENDINGS.map(ending => path + ending).find(path => source.read(path, 1).length > 0)
}

/** Reads each file once. @param {Pick<SourceLines, 'read'>} source @returns {Pick<SourceLines, 'read'>} */
function withFiles (source) {
  /** @type {Map<string, string[]>} */
  const files = new Map()
  return {
    read: (file, from, to = from) => {
      const lines = files.get(file) ?? source.read(file, 1, MAX_FILE_LINES)
      files.set(file, lines)
      return lines.slice(from - 1, to)
    }
  }
}

module.exports = { BUILTIN, CALLED, EMPTIED, GUESSED, KEYWORD, KINDS, MAX_FILE_LINES, RANKS, codeOf, constructorsOf, definedIn, linesThatKeep, rankOf, receiverBefore, requiredBy, scopeOf, withFiles }
