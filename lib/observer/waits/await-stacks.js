'use strict'

// Reads the stack of a wait: which function of the application waits, at which line, which of its functions called it, and what it awaits: a package,
// or a module of Node.js; where that stack does not tell, what settled it, or what the function that it awaits has returned.

const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { OWN_FOLDER } = require('../../base/own-files')
const { DISPATCHERS } = require('../../formats/profile/called-package')
const { describeFrame, packageOf } = require('../../formats/profile/frame')
const { publicModuleOf } = require('../../formats/profile/node-api')

/** @import { CallFrame } from '../../../types/profile' */
/** @import { WaitPlace } from '../../../types/waits' */
/** @import { AwaitFrame } from '../../probe/waits/await-sample' */
/** @import { Awaited, Label } from './attribute-waits' */

/**
 * @typedef {{ key: string, place: WaitPlace }} AppFrame  key: of the function, wherever it stands
 *
 * @typedef {object} AwaitStack
 * @property {AppFrame[]} app       functions of the application, innermost first
 * @property {boolean} isAwait      the innermost of them awaits by itself: no library is called above it
 * @property {boolean} isThen       likewise, with then()
 * @property {boolean} isCombined   the promise is one of Promise.all() or allSettled()
 * @property {boolean} isOfSeveral  likewise, or of any() or race()
 * @property {boolean} isInternal   a wait of V8's own, for one of the promises of Promise.all() and the like
 * @property {AppFrame | null} ofPackage  where no function of the application is on the stack: the innermost one of a package that is not a framework
 * @property {string | null} makerKey  the innermost function that is not Node's, if it is the application's
 * @property {string | null} awaited  package or module above the application's innermost function
 * @property {string | null} via    the package that the application called, where it is another
 * @property {boolean} isTimerOfNode  Node.js itself sets a timer there: a timeout of a socket, the time of day for a header
 * @property {string | null} calledBy  the package that called the outermost function of the application, or awaits it
 */

/**
 * How an awaited promise was settled. code: by other code of the application, at this place. Else by a callback of Node.js of this kind, or of this package.
 * @typedef {{ kind: string, place: null } | { kind: 'code', place: WaitPlace }} SettledBy
 */

const THEN = new Set(['then', 'catch', 'finally'])
const COMBINATORS = new Set(['all', 'allSettled', 'any', 'race'])
const WAITS_FOR_ALL = new Set(['all', 'allSettled'])
/**
 * What a callback of Node.js was called for: the first row of which a frame has this module and function.
 * @type {readonly { kind: string, module: RegExp, function?: RegExp }[]}
 */
const CALLBACKS = Object.freeze([
  { kind: 'timer', module: /^node:internal\/timers$/, function: /^listOnTimeout$/ },
  { kind: 'worker', module: /^node:internal\/(worker|per_context\/messageport)\b/ },
  { kind: 'process', module: /^node:(internal\/)?child_process\b/ },
  { kind: 'dns', module: /^node:(internal\/)?dns\b/ },
  { kind: 'file', module: /^node:(internal\/)?fs\b/ },
  { kind: 'crypto', module: /^node:internal\/crypto\b/ },
  { kind: 'zlib', module: /^node:zlib$/ },
  { kind: 'connect', module: /^node:net$/, function: /afterConnect/ },
  { kind: 'http', module: /^node:_http_client$/ },
  { kind: 'stream', module: /^node:internal\/(streams\b|stream_base_commons)/ }
])
const CALLBACK_KINDS = new Set(CALLBACKS.map(({ kind }) => kind))
const TASK_QUEUES = 'node:internal/process/task_queues'
// What Node.js puts between a callback and what it calls: contexts, emit(), promisify().
const BETWEEN = new Set(['node:internal/async_hooks', 'node:async_hooks', 'node:events', 'node:internal/util'])
const TIMERS = /^(node:(internal\/)?timers(\/promises)?)?$/ // and native functions
// What calls the application, and is not called by it.
const PASSING_ON = /^node:(internal\/)?(process|modules|async_hooks|async_local_storage)\b/
const HTTP_SERVER = 'node:_http_server'
// What compilers put between an async function and the promise that it returns.
const HELPERS = new Set(['tslib', '@babel/runtime', '@swc/helpers', 'regenerator-runtime'])
// Packages of locks: their release() lets another request go on.
const LOCKS = new Set(['async-lock', 'async-mutex', 'async-sema', 'await-lock', 'await-semaphore', 'semaphore-async-await'])
// Packages that only give connections of a pool.
const POOLS = new Set(['tarn', 'generic-pool', 'sequelize-pool'])
// Packages of queues and locks: what is given to them runs once other work has ended.
const QUEUES = new Set([
  ...LOCKS, 'bottleneck', 'fastq', 'p-limit', 'p-queue', 'p-throttle', 'promise-limit', 'promise-queue', 'queue', 'queue-promise', 'throat'
])

// Clients of databases, and what is built on them.
const DATABASES = new Set([
  'pg', 'pg-pool', 'pg-promise', 'postgres', 'slonik', 'mysql', 'mysql2', 'mariadb', 'mssql', 'tedious', 'oracledb', 'mongodb', 'mongoose',
  'knex', 'objection', 'kysely', 'drizzle-orm', 'sequelize', 'typeorm', '@mikro-orm/core', '@mikro-orm/knex', '@mikro-orm/sql', '@prisma/client'
])

// What begins in one synchronous run.
const SAME_MICROS = 5000
// events.once() and util.promisify() await whatever emits the event, or calls back.
const WRAPPERS = new Set(['node:events', 'node:util'])
// Functions that return each other's promises.
const MAX_RETURNED = 5

/**
 * @param {AwaitFrame[]} frames
 * @returns {CallFrame[]} positions to be mapped: of each frame where it stands, and where its function begins
 */
function placesOf (frames) {
  return frames.flatMap(([name, file, line, column, functionLine, functionColumn]) => {
    const url = path.isAbsolute(file) ? pathToFileURL(file).href : file
    return [
      { functionName: '', scriptId: '', url, lineNumber: line - 1, columnNumber: column - 1 },
      { functionName: name, scriptId: '', url, lineNumber: functionLine - 1, columnNumber: functionColumn - 1 }
    ]
  })
}

/**
 * @param {AwaitFrame[]} all
 * @param {object} context
 * @param {string} context.appRoot
 * @param {(frames: CallFrame[]) => CallFrame[]} context.toOriginal
 * @returns {AwaitStack}
 */
function readAwaitStack (all, { appRoot, toOriginal }) {
  const frames = withoutHooks(all)
  const original = toOriginal(placesOf(frames))
  const read = frames.map(([name, file, line, , functionLine, functionColumn], index) => {
    const place = describeFrame(original[2 * index], { appRoot })
    const begin = describeFrame(original[2 * index + 1], { appRoot })
    return { name, file, origin: file === '' ? 'native' : place.origin, shown: place.file, line, key: `${file}:${functionLine}:${functionColumn}`, place: { function: begin.name, file: place.file, line: place.line, column: place.column } }
  })
  const isNative = (/** @type {number} */ index, /** @type {Set<string>} */ names) => read[index]?.origin === 'native' && names.has(read[index].name)
  const first = read.findIndex(({ origin }) => origin === 'app')
  const above = first === -1 ? read : read.slice(0, first)
  const packages = packagesOf(above)
  const [calledBy = null] = packagesOf(read.slice(read.findLastIndex(({ origin }) => origin === 'app') + 1))
  const maker = read.find(({ origin }) => origin !== 'native' && origin !== 'node')
  const [awaited = moduleOf(beforeQueue(above).findLast(({ origin }) => origin === 'node'))] = packages
  const via = packages.at(-1) ?? null
  const ofPackage = first === -1 ? read.find(({ origin, shown }) => origin === 'dependency' && !DISPATCHERS.has(packageOf(shown))) : undefined
  return {
    app: read.filter(({ origin }) => origin === 'app').map(({ key, place }) => ({ key, place })),
    isAwait: first === 0,
    isThen: first === 1 && isNative(0, THEN),
    isCombined: isNative(0, WAITS_FOR_ALL),
    isOfSeveral: isNative(0, COMBINATORS),
    isInternal: isNative(0, THEN) && isNative(1, COMBINATORS),
    ofPackage: ofPackage === undefined ? null : { key: ofPackage.key, place: ofPackage.place },
    isTimerOfNode: isTimerOfNode(read),
    makerKey: maker?.origin === 'app' ? maker.key : null,
    awaited: isNative(0, WAITS_FOR_ALL) ? `Promise.${read[0].name}` : awaited,
    via: via === awaited ? null : via,
    calledBy
  }
}

/**
 * What runs the microtasks calls nothing of them: the timers do so between two of theirs.
 * @template {{ file: string }} T
 * @param {T[]} frames
 */
function beforeQueue (frames) {
  const queue = frames.findIndex(({ file }) => file === TASK_QUEUES)
  return queue === -1 ? frames : frames.slice(0, queue)
}

/** @param {readonly { origin: string, file: string }[]} frames */
function isTimerOfNode (frames) {
  const by = frames.find(({ file }) => !TIMERS.test(file))
  return by !== frames[0] && by?.origin === 'node' && !BETWEEN.has(by.file)
}

/** @param {readonly { origin: string, shown: string }[]} frames */
function packagesOf (frames) {
  return frames.filter(({ origin }) => origin === 'dependency').map(({ shown }) => packageOf(shown)).filter(name => !HELPERS.has(name))
}

/**
 * @param {AwaitFrame[]} all  the stack on which a promise was settled
 * @param {object} context
 * @param {string} context.appRoot
 * @param {(frames: CallFrame[]) => CallFrame[]} context.toOriginal
 * @param {boolean} isByOther  by code of another request, or of none
 * @returns {SettledBy | null} null: by anything else, like the end of an async function, or the answer of a database
 */
function readSettled (all, { appRoot, toOriginal }, isByOther) {
  const [resolve, ...callers] = withoutHooks(all)
  // resolve() and reject() are V8's; without them an async function has ended.
  if (resolve === undefined || resolve[1] !== '') return null
  const original = toOriginal(placesOf(callers))
  const frames = callers.map(([name, file], index) => {
    const { origin, ...place } = describeFrame(original[2 * index], { appRoot })
    return { name, file, isOfApp: origin === 'app', isOfNode: origin === 'node', isOfPackage: origin === 'dependency', place: { ...place, function: describeFrame(original[2 * index + 1], { appRoot }).name } }
  }).filter(frame => frame.file !== '' && !BETWEEN.has(frame.file))
  const called = beforeQueue(frames)
  const node = called.findIndex(({ isOfNode }) => isOfNode)
  if (node !== -1) {
    const library = called.findIndex(({ isOfPackage }) => isOfPackage)
    if (library !== -1) return called.slice(library).some(({ isOfApp, file }) => isOfApp || file === HTTP_SERVER) ? null : settledByPackage(called[library].place)
    // A function of the application between them may have let several go on, one after the other.
    if (!called.every(({ isOfApp, isOfNode }, index) => index < node ? isOfApp : isOfNode)) return null
    const found = CALLBACKS.find(row => called.slice(node).some(({ file, name }) => row.module.test(file) && (row.function?.test(name) ?? true)))
    return found === undefined ? null : { kind: found.kind, place: null }
  }
  // A package that calls back in a tick or a microtask of its own.
  const others = called.slice(called.findIndex(({ isOfApp }) => !isOfApp))
  if (others.length > 0 && others.every(({ isOfPackage, place: { file } }) => isOfPackage && !LOCKS.has(packageOf(file)))) return settledByPackage(others[0].place)
  const first = called.find(({ isOfApp }) => isOfApp)
  if (!isByOther || first === undefined || !called.every(({ isOfApp, place: { file } }) => isOfApp || LOCKS.has(packageOf(file)))) return null
  const { function: name, file, line, column } = first.place
  return { kind: 'code', place: { function: name, file, line, column } }
}

/**
 * An answer that came on a connection of the package: of a WebSocket, a message broker, a client with callbacks.
 * @param {{ file: string }} place
 * @returns {SettledBy | null}
 */
function settledByPackage ({ file }) {
  const name = packageOf(file)
  return LOCKS.has(name) ? null : { kind: name, place: null }
}

/**
 * Without the frames that call the hook (several hooks are called by Node.js), and those of loopscope itself.
 * @param {AwaitFrame[]} frames
 */
function withoutHooks (frames) {
  const begin = frames.findIndex(([, file]) => !/^node:internal\/(promise_hooks|async_hooks)/.test(file))
  return frames.slice(Math.max(0, begin)).filter(([, file]) => !file.startsWith(OWN_FOLDER) && !file.startsWith(`file://${OWN_FOLDER}`))
}

/** @param {{ name: string, file: string } | undefined} frame  of Node.js */
function moduleOf (frame) {
  if (frame === undefined) return null
  if (PASSING_ON.test(frame.file)) return null
  // What is a global, like fetch(), has the name of its function.
  return frame.file.startsWith('node:internal/bootstrap/') ? frame.name : publicModuleOf(frame.file)
}

/** @param {string | null} name */
function isPackage (name) {
  return name !== null && !name.startsWith('node:')
}

/** @param {string | null} name */
function isDatabase (name) {
  return name !== null && DATABASES.has(name)
}

/** @param {Pick<AwaitStack, 'awaited' | 'via'>} stack */
function queueOf ({ awaited, via }) {
  return [via, awaited].find(name => name !== null && QUEUES.has(name)) ?? null
}

/** V8 itself waits for a promise with which another one is resolved. @param {AwaitStack} stack */
function isOfV8 ({ app, isInternal, awaited }) {
  return app.length === 0 && !isInternal && awaited === null
}

/**
 * A query that is sent once it is awaited (knex, drizzle) runs without a function of the application on its stack.
 * @param {Awaited} wait
 */
function isLazy ({ stack, made, resource }) {
  return resource === '' && stack.app.length === 0 && !stack.isInternal && packageAwaitedIn({ stack, made }) !== null
}

/**
 * A function that is async returns a promise without awaiting it: V8 waits for it, and shows who made it.
 * @param {Awaited} wait
 */
function isReturned ({ stack, made, resource }) {
  return resource === '' && isOfV8(stack) && made !== null && made.app.length > 0
}

/** @param {Pick<Awaited, 'stack' | 'made'>} wait  for a promise that was made in code of another request, or of none */
function isPassedOn ({ stack, made }) {
  return made === null && isOfV8(stack)
}

/**
 * What the queue waits for itself begins with its turn: the code that settles one of its promises has waited since then. Until then the request waits
 * for others, and one of these promises is settled by code of them. p-limit 3 runs what is given to it as code of another request, and passes its promise on.
 * One that limits the rate lets go on by a timer of its own: then it is the turn once it calls what was given to it.
 * @param {Awaited} one  wait for the queue
 * @param {string} queue  the package
 * @param {readonly Awaited[]} waits
 * @param {number} openMicros  until when the request was followed, where it is not answered yet; else 0
 * @returns {number} when it was its turn; 0: it stood in no line
 */
function turnOf (one, queue, waits, openMicros) {
  if (one.toMicros === openMicros && !waits.some(({ fromMicros }) => fromMicros > one.fromMicros + SAME_MICROS)) return openMicros // nothing was begun for it
  const during = waits.filter(({ fromMicros, toMicros }) => fromMicros >= one.fromMicros - SAME_MICROS && toMicros <= one.toMicros)
  const inside = during.filter(({ stack, made }) => isPassedOn({ stack, made }) || [made, stack].some(from => from !== null && queueOf(from) === queue))
  if (inside.some(({ isByOther }) => isByOther)) return Math.max(...inside.map(wait => isPassedOn(wait) ? wait.fromMicros : sinceIn(wait)))
  const called = waits.filter(({ stack, made, toMicros }) => toMicros > one.fromMicros && [made, stack].some(from => from !== null && from.app.length > 0 && from.calledBy === queue))
  const turnMicros = Math.min(...called.map(({ fromMicros }) => fromMicros))
  return turnMicros > one.fromMicros && turnMicros < one.toMicros ? turnMicros : 0
}

/** @param {Awaited} wait */
function sinceIn ({ sinceMicros = 0, fromMicros }) {
  return sinceMicros > fromMicros ? sinceMicros : 0
}

/** @param {Pick<Awaited, 'stack' | 'made'>} wait */
function packageAwaitedIn ({ stack, made }) {
  const name = made?.awaited ?? stack.awaited
  return isPackage(name) ? name : null
}

/** @param {Awaited} wait @returns {Label | null} by what settled it */
function settledAs ({ settled = null, isByOther = false, byMicros = 0 }) {
  if (settled === null) return null
  if (settled.kind === 'code') return { awaited: null, via: null, resumedBy: settled.place }
  // In a callback for another request: that one let it go on. A timer that other code has set is no pause of the request.
  if (isByOther && (settled.kind === 'timer' || (byMicros !== 0 && settled.kind !== 'dns'))) return null
  return { awaited: settled.kind, via: null, resumedBy: null }
}

/**
 * @param {Awaited[]} returned
 * @param {string | null} key  of the function that returned it
 * @param {number} fromMicros
 * @param {number} endMicros  of what awaits the function
 * @param {number} [depth]
 * @returns {{ label: Label | null, app: AppFrame[] } | null}  app: where it was called
 */
function returnedAt (returned, key, fromMicros, endMicros, depth = 0) {
  const isOwn = (/** @type {AwaitStack} */ made) => made.app.some(frame => frame.key === key) && !(made.isAwait && made.makerKey === key) // not its own promise
  const own = key === null || depth > MAX_RETURNED ? [] : returned.filter(({ made, ...at }) => at.fromMicros < endMicros && made !== null && isOwn(made))
  // What awaits the function goes on a moment later.
  const wait = own.find(({ toMicros }) => toMicros > fromMicros) ?? own.findLast(({ toMicros }) => toMicros > fromMicros - SAME_MICROS)
  if (wait === undefined || wait.made === null) return null
  const { awaited, via, makerKey, app } = wait.made
  const label = awaited === null ? null : { awaited, via, resumedBy: null }
  if (awaited !== null && !WRAPPERS.has(awaited)) return { label, app }
  const inner = makerKey === key ? null : returnedAt(returned, makerKey, fromMicros, endMicros, depth + 1)
  return { label: settledAs(wait) ?? label ?? inner?.label ?? null, app: inner?.app ?? app }
}

/**
 * @param {Awaited[]} lazy
 * @param {Awaited} wait  of a function of the application
 * @param {number} micros
 * @returns {Label | null} the package that works on what is awaited, at that moment
 */
function lazyAt (lazy, wait, micros) {
  const inside = lazy.filter(({ fromMicros, toMicros }) => fromMicros >= wait.fromMicros && toMicros <= wait.toMicros && fromMicros <= micros && toMicros > micros)
  if (inside.length === 0) return null
  // A function that awaits another one goes on after it.
  const byEnd = inside.sort((left, right) => left.toMicros - right.toMicros)
  const [inner, outer] = [byEnd[0], byEnd[byEnd.length - 1]].map(packageAwaitedIn)
  return { awaited: inner, via: inner === outer ? byEnd[0].made?.via ?? null : outer, resumedBy: null }
}

module.exports = {
  CALLBACK_KINDS, POOLS, SAME_MICROS, WRAPPERS, isDatabase, isLazy, isPackage, isReturned, lazyAt, placesOf, queueOf, readAwaitStack, readSettled, returnedAt, settledAs, turnOf
}
