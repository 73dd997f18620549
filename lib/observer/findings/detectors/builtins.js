'use strict'

// What takes longer than it looks: builtins of V8, synchronous functions of Node.js and ways to use them, why, and what to use instead. Pure.

const { adviceOf } = require('../../../shared/sync-calls/advice')
const { READS_CLOCK } = require('../../stalls/culprit/call-in-source')

/** @import { HotSpot } from '../../../shared/findings/readings' */

/**
 * A builtin that takes long: why, what to use instead, and a clearer name where its own is not enough.
 * @typedef {{ why: string, instead: string, name: string | null }} Builtin
 */

const COPY = Object.freeze({
  why: 'it copies everything that is reachable from the value, on the event loop',
  instead: 'copy only what changes, or freeze the value and share it'
})

const EXPRESSION = Object.freeze({
  why: 'a regular expression that can match in many ways tries all of them: the time can double with each character of the input',
  instead: 'rewrite it without nested or overlapping quantifiers, limit the length of the input, or use an engine without backtracking (re2)'
})
const ALWAYS_EXPRESSION = /^RegExp\.|(^|\.)(match|matchAll|search|test|exec)$/
// With an expression or with a plain string.
const REPLACE = /(^|\.)(replace|replaceAll)$/
const SPLIT = /(^|\.)split$/
const WITH_STRING = /\.replace(All)?\(\s*(['"`])/
const WITH_LITERAL = /\.split\(\s*\/[^/*]/

// To a worker thread or another process. A package that does this computes elsewhere: more threads do not help.
const CLONES = /^(postMessage|serialize)$/

const FORMATTERS = Object.freeze({
  why: 'creating a formatter or collator of Intl takes far longer than using it, and each such call may create one',
  instead: 'make one Intl formatter or collator for each locale and set of options, keep it, and call its format() or compare()'
})
const MAKES_FORMATTER = /\.(toLocale\w*String|localeCompare)\(|\bIntl\.\w+\(/
const SORT = /sort$|toSorted$/i
const SORTED = Object.freeze({
  why: 'sorting takes more than linear time, and calls the comparator for each comparison',
  instead: 'keep the data sorted, sort in the database, sort only the page that is shown, and compute sort keys once'
})
/** The comparator takes the time, or there is too much to sort. */
const COLLATED = Object.freeze({ why: `${SORTED.why}; comparing by locale may create a collator each time`, instead: `${FORMATTERS.instead}; ${SORTED.instead}` })
const SEARCH = Object.freeze({
  why: 'it looks at one element after the other; inside a loop that is the length of the one list times the length of the other',
  instead: 'put the values into a Set, or a Map by key, once before the loop, and look each up there'
})

const MOVES = Object.freeze({
  why: 'it moves all the elements behind that place, each time: in a loop over a long array that is the square of the length',
  instead: 'go through a long array by index and cut it off once, or use a queue that moves nothing (a linked list, two arrays)'
})

const STACKS = Object.freeze({
  why: 'a stack trace is collected and written as text on the event loop, which takes longer the deeper the stack is, and with source maps',
  instead: 'create errors and read their stack only where something failed, or lower Error.stackTraceLimit'
})

const LISTENERS = Object.freeze({
  why: 'an event calls its listeners one after the other before the code goes on: with thousands of them, each event takes as long as all together',
  instead: 'remove each listener when it is no longer needed (once, off, or the option signal), or keep one listener that looks up whom an event concerns, in a Map by key'
})

// With setImmediate(), as a function or as the whole loop.
const POLLING = Object.freeze({
  why: 'an immediate runs in each iteration of the loop, which therefore never waits: it uses a whole CPU even if there is nothing to do',
  instead: 'wait for what happens (a promise, an event, a callback), or look for it with a timer; if immediates divide work, do a few milliseconds of it in each'
})

const SMALL_CHUNKS = Object.freeze({
  why: 'each chunk goes through the buffer, the events and the callbacks of every stream on its way, which takes longer than the work on a small one',
  instead: 'pass fewer and larger chunks (join small texts to some 64 kB, records to arrays), use fewer streams, or a plain loop where all data is in memory'
})

const DATAGRAMS = Object.freeze({
  why: 'each datagram is a system call and a packet of its own, however few bytes it holds',
  instead: 'put several messages into one datagram (up to some 1400 bytes; clients of StatsD have an option for it), add up counts and send them once in a second, or send fewer (sampling)'
})

const STARTED_AGAIN = Object.freeze({
  why: 'workers are started and end all the time; starting one takes tens of milliseconds of a CPU and a heap of its own, which may be more than its work',
  instead: 'start as many workers as there are CPUs once, keep them in a pool, and send them the work (piscina, workerpool)'
})

/** @type {[RegExp, Omit<Builtin, 'name'> & { name?: string }][]} */
const OTHERS = [
  [/^Array\.(includes|indexOf|lastIndexOf)$/, SEARCH],
  [/^Array\.(shift|unshift|splice)$/, MOVES],
  [/^ChildProcess\.send$/, {
    why: 'a message to another process is converted to JSON and written on the event loop, and read on that of the other process',
    instead: 'send only what the other side needs, let it load data that does not change, or use a worker thread, which can share memory (SharedArrayBuffer)',
    name: 'send() to another process'
  }],
  [CLONES, {
    why: 'it copies everything that is reachable from the value, on the event loop of the sender and again on that of the receiver',
    instead: 'send only what the other side needs, transfer ArrayBuffers or share memory (SharedArrayBuffer), and let the other side load data that does not change'
  }],
  // Of the prepared statements of node:sqlite and better-sqlite3.
  [/^(all|get|run|iterate)$/, {
    why: 'a synchronous database driver runs each query on the event loop, and everything else waits until it is done',
    instead: 'let an index answer the query (EXPLAIN QUERY PLAN says SCAN where none does), read fewer rows (LIMIT), or query in a worker thread'
  }],
  [/^(runIn(New|This)?Context|createContext|compileFunction)$/, {
    why: 'the code is compiled again each time, and each new context gets all of JavaScript\'s own objects, which takes about a millisecond',
    instead: 'compile the code once (new vm.Script, vm.compileFunction, or new Function where the code is trusted), keep it, and run it again and again, in one context that is made once'
  }],
  [/^(EventEmitter\.)?emit$/, LISTENERS],
  [/(^|\.)addEventListener$/, {
    why: 'before it adds a listener, an EventTarget (such as an AbortSignal) goes through all those of the event: each that is never removed makes the next call slower, and keeps what it refers to',
    instead: 'remove each listener when it is no longer needed (removeEventListener, or the option signal), above all on a signal that lives as long as the process, or keep one listener there'
  }],
  [/^(Performance\.)?(getEntries(ByName|ByType)?|clearMarks|clearMeasures)$/, {
    why: 'the timeline keeps each mark and measure until it is cleared, and goes through all of them',
    instead: 'use what performance.measure() returns, or a PerformanceObserver, and clear marks and measures when they were used; for durations alone, subtract two values of performance.now()'
  }],
  [/^setImmediate$/, POLLING],
  [/^Worker$/, STARTED_AGAIN],
  [/(^|\.)concat$/, {
    why: 'it copies all parts: joining them one after the other copies the earlier ones again each time',
    instead: 'collect the parts in an array and join them once at the end, or process them one by one (a stream)'
  }],
  [/^(get )?stack$|(^|\.)captureStackTrace$|^prepareStackTrace/, { ...STACKS, name: 'stack traces of errors' }],
  [/^(inspect|format|formatWithOptions)$/, {
    why: 'it turns everything that is reachable from the value into text, on the event loop',
    instead: 'convert fewer fields with a lower depth, and only if the text is used: test the log level first',
    name: 'util.inspect() or util.format()'
  }],
  [/^(Intl\.)?(DateTimeFormat|NumberFormat|Collator|PluralRules|RelativeTimeFormat|ListFormat|Segmenter|DisplayNames)$|(^|\.)(toLocale\w*|localeCompare)$/, FORMATTERS],
  [/^RegExp$/, {
    why: 'each new expression is compiled again',
    instead: 'make the expression once, outside of the loop or function, and keep it'
  }],
  [SORT, SORTED],
  [/structuredClone$/, COPY],
  [/^(Hash\.)?(update|digest)$/, { ...adviceOf('crypto.createHash().update'), name: 'hashing (crypto)' }],
  [/^((Writable|Socket|Duplex|ServerResponse|OutgoingMessage)\.)?write$/, {
    why: 'each write passes through the stream, and to a socket it is a system call of its own',
    instead: 'join what belongs together and write it once, or call cork() before and uncork() after it; write less often and more at a time',
    name: 'write() of a socket or stream'
  }],
  [/^(Socket\.)?(send|doSend)$/, { ...DATAGRAMS, name: 'send() of a datagram' }],
  [/^end$/, {
    why: 'the data is converted to bytes and written on the event loop, a long string all at once',
    instead: 'send less (pagination, fields) or in chunks (stream.pipeline), keep data that does not change as a Buffer, and combine small writes',
    name: 'end() of a response or stream'
  }]
]
/** What the line shows where no builtin is known, because V8 inlines it or it only calls back. @type {[RegExp, Omit<Builtin, 'name'>][]} */
const WRITTEN = [
  [/\.(sort|toSorted)\([^]*\.localeCompare\(/, COLLATED],
  [MAKES_FORMATTER, FORMATTERS],
  [/\bnew \w*Error\([^()]*\)\.stack\b|\.captureStackTrace\(/, STACKS],
  // A text between quotes is mostly looked for in a text.
  [/\.(find|findIndex|findLast|findLastIndex|some)\(|\.(includes|indexOf|lastIndexOf)\((?!\s*['"`])|\.filter\(.*===/, SEARCH],
  [/\.(sort|toSorted)\(\s*[^)\s]/, SORTED], // not URLSearchParams.sort()
  [/\.(shift|unshift|splice)\(/, MOVES],
  [/\.emit\(/, LISTENERS],
  // V8 keeps a text that grows by += in parts, until something reads in it.
  [/(?<![\w$.])([\w$.]+) *= *\1\.(slice|substring|substr|trim\w*|replace\w*|toUpperCase|toLowerCase)\(/, {
    why: 'a text that grows in a loop is copied as a whole each time something reads or cuts it: that is the square of its length',
    instead: 'collect the parts in an array and join them once at the end (join(\',\') puts what is between them), and leave the text alone until then'
  }],
  [/\bObject\.(keys|values|entries)\(/, {
    why: 'it makes an array of all the keys or values each time, which takes longer the more there are',
    instead: 'use a Map, which is gone through without a copy and knows its size, or keep the count or the list up to date where entries come and go'
  }],
  // What a callback of reduce() returns, or a loop assigns.
  [/\{ *\.\.\.[\w.]+, *\[|\[ *\.\.\.[\w.]+, /, {
    why: 'the spread copies everything that was gathered before: each round takes longer than the last one',
    instead: 'add to one object, array or Map that only this function has (a loop, or push and assignment in the callback of reduce), and copy nothing'
  }]
]
/** @type {Builtin} */
const ANY = Object.freeze({
  why: 'JavaScript runs on the event loop, and everything else waits until it is done',
  instead: 'do less (a cache, a limit, pagination, a better algorithm), split the work with setImmediate, or move it to worker_threads',
  name: null
})

/** @param {HotSpot} spot @returns {Builtin} */
function builtinOf ({ culprit: { call }, text }) {
  if (call === null) {
    const written = { ...ANY, ...WRITTEN.find(([pattern]) => pattern.test(text))?.[1] }
    return READS_CLOCK.test(text) ? { ...written, instead: `${written.instead}; read the clock once before the loop` } : written
  }
  if (isExpression(call, text)) return { ...EXPRESSION, name: `${call} (regular expression)` }
  if (SORT.test(call) && MAKES_FORMATTER.test(text)) return { ...COLLATED, name: call }
  return { ...ANY, name: call, ...OTHERS.find(([name]) => name.test(call))?.[1] }
}

/** @param {string | null} call @param {string} text  of the line */
function isExpression (call, text) {
  if (call === null) return false
  return ALWAYS_EXPRESSION.test(call) || (REPLACE.test(call) && !WITH_STRING.test(text)) || (SPLIT.test(call) && WITH_LITERAL.test(text))
}

/** By package that computes in JavaScript on the event loop, what does the same elsewhere, or with far less work. */
const FASTER = new Map(/** @type {[instead: string, packages: string[]][]} */ ([
  ['bcrypt or @node-rs/bcrypt, which compute in other threads and accept the same hashes', ['bcryptjs', 'bcrypt-nodejs']],
  ['node:crypto, whose native functions for what takes long also have an asynchronous form', ['crypto-js', 'elliptic', 'js-sha256', 'js-sha512', 'node-forge', 'pbkdf2', 'scrypt-js', 'sha.js', 'tweetnacl']],
  ['sharp, which computes in other threads', ['@jimp/core', 'jimp', 'jpeg-js', 'pngjs']],
  ['the asynchronous functions of node:zlib, which compute in the thread pool', ['pako']],
  ['packages that unpack with node:zlib as streams (yauzl)', ['jszip']],
  ['a parser without a browser around it (cheerio, node-html-parser)', ['jsdom', 'happy-dom']]
]).flatMap(([instead, packages]) => packages.map(name => [name, instead])))

/** @param {string[]} packages  the one that works first @returns {string | null} */
function fasterThan (...packages) {
  const slow = packages.find(name => FASTER.has(name))
  return slow === undefined ? null : `use ${FASTER.get(slow)}, in place of ${slow}; otherwise call it less often or with less data (a cache, a limit), or move the call to worker_threads`
}

module.exports = { builtinOf, CLONES, COPY, DATAGRAMS, EXPRESSION, fasterThan, isExpression, POLLING, SMALL_CHUNKS, STARTED_AGAIN }
