'use strict'

// Divides the time in which one request waited among the lines of its code. Waits overlap: a handler awaits a function that awaits a query. Each moment
// belongs to the innermost function that waits; with Promise.all() to the line that awaits all. Pure.

const { groupBy } = require('../../base/sums')
const { POOLS, SAME_MICROS, WRAPPERS, isLazy, isPackage, isReturned, lazyAt, queueOf, returnedAt, settledAs, turnOf } = require('./await-stacks')

/** @import { AppFrame, AwaitStack, SettledBy } from './await-stacks' */

/**
 * @typedef {object} Awaited  one wait of a request
 * @property {AwaitStack} stack
 * @property {AwaitStack | null} made  where the awaited promise was made
 * @property {number} fromMicros
 * @property {number} toMicros
 * @property {string} resource
 * @property {SettledBy | null} [settled]  undefined: not known
 * @property {boolean} [isByOther]  settled by code of another request, or of none
 * @property {number} [sinceMicros]  when that code began to wait for what let it go on; 0: not known
 * @property {number} [byMicros]  when that other request began; 0: not known
 * @property {boolean} [isShared]  what is awaited was not made for this request, or another one awaits it as well
 *
 * @typedef {object} LineTime
 * @property {AppFrame[]} app  the function that waits, at its line, and its callers
 * @property {string | null} awaited
 * @property {string | null} via
 * @property {SettledBy['place']} resumedBy  the code that let it go on: a lock or a queue of the application
 * @property {AppFrame['place'] | null} calledAt  another function of the application, which returned what is awaited: where it called that
 * @property {AppFrame['place'] | null} longest  of Promise.all(): the function in it that alone was waited for most of the time
 * @property {number} poolMicros  in which it waited for a connection
 * @property {number} turnMicros  in which it waited for its turn in a queue
 * @property {number} sharedMicros  in which it waited for what several requests wait for
 * @property {number} behindMicros  in which it waited until code of other requests had ended
 * @property {number[]} behind  when these began
 * @property {number} together  promises in Promise.all(), the most at a time; 0: it waits for something else
 * @property {number} count     waits
 * @property {number[]} spans   begins and ends, in order
 * @property {number[]} ended   begins and ends of the stretches at whose end the function went on
 *
 * @typedef {object} OpenLine
 * @property {AppFrame[]} app
 * @property {number[]} spans
 * @property {number[]} ended
 * @property {number} poolMicros
 * @property {number} turnMicros
 * @property {number} sharedMicros
 * @property {number} behindMicros
 * @property {Set<number>} behind
 * @property {Set<Node>} counted
 * @property {number} unseenMicros  of the spans: for which its waits were not seen
 * @property {Map<string, Label & { calledAt: AppFrame['place'] | null, micros: number }>} labels
 * @property {Map<string, { place: AppFrame['place'], micros: number }>} alone  of Promise.all(): functions in it, while no other was waited for
 *
 * @typedef {{ line: OpenLine, pending: Set<Node>, micros: number }} Seen  which line had a stretch of time
 *
 * @typedef {{ awaited: string | null, via: string | null, resumedBy: SettledBy['place'] }} Label
 *
 * @typedef {{ frame: AppFrame, count: number, micros: number }} Serial  awaits of one function, one after the other
 */

// Shorter ones are promises that were settled already.
const MIN_SERIAL_MICROS = 200
const SAME_SHARE = 0.9
const LONGEST_SHARE = 0.6
// Of more waits at once the first ones decide, those of the application's own functions before those of packages.
const MAX_AT_ONCE = 50

/**
 * @param {readonly Awaited[]} all
 * @param {object} request
 * @param {number[]} request.runs  begins and ends of its own code
 * @param {number} [request.truncatedMicros]  waits that began later are not seen; 0: there are none
 * @param {boolean} [request.isOpen]  it is not answered yet
 * @param {number} [request.toMicros]  until when it was followed
 * @returns {{ lines: LineTime[], serial: Serial[] }}
 */
function attributeWaits (all, { runs, truncatedMicros = 0, isOpen = false, toMicros: endMicros = 0 }) {
  const waits = all.filter(({ resource, stack }) => resource !== 'timer' || !stack.isTimerOfNode)
  const nodes = createNodes(withCallers(waits))
  const membersOf = createMembersOf(waits, nodes)
  const lazy = waits.filter(isLazy)
  const returned = returnedIn(waits, nodes)
  const togetherIn = createTogetherIn(waits)
  const pooled = waits.filter(({ made }) => made !== null && made.awaited !== null && POOLS.has(made.awaited))
  /** @type {Map<string, OpenLine>} */
  const lines = new Map()
  /** @type {Seen[]} */
  const seen = []
  for (const { fromMicros, toMicros, pending } of segmentsOf([...nodes, ...ofFrameworks(waits)], runs)) {
    const chosen = choose(pending, { lazy, returned, membersOf }, fromMicros)
    if (chosen === null) continue
    if (truncatedMicros !== 0 && fromMicros >= truncatedMicros && divideUnseen(seen, chosen.node, fromMicros, toMicros)) continue
    const line = lineOf(lines, chosen.app)
    if (truncatedMicros !== 0) seen.push({ line, pending: new Set(pending), micros: toMicros - fromMicros })
    line.counted.add(chosen.node)
    const { awaited, via, resumedBy } = chosen
    const label = `${awaited} ${via} ${resumedBy === null}`
    const { micros: beforeMicros = 0, calledAt = calledAtIn(chosen) } = line.labels.get(label) ?? {}
    line.labels.set(label, { awaited, via, resumedBy, calledAt, micros: beforeMicros + toMicros - fromMicros })
    line.poolMicros += awaited !== null && POOLS.has(awaited) ? toMicros - fromMicros : longestOf(pooled, fromMicros, toMicros)
    const queue = queueOf({ awaited, via })
    if (queue !== null) line.turnMicros += Math.max(0, Math.min(toMicros, turnOf(chosen.node.wait, queue, waits, isOpen ? endMicros : 0)) - fromMicros)
    if (chosen.node.isOwn && chosen.node.wait.isShared === true) line.sharedMicros += toMicros - fromMicros
    const by = behindOf(chosen)
    if (by !== 0) {
      line.behindMicros += toMicros - fromMicros
      line.behind.add(by)
    }
    const last = chosen.node.isCombined ? onlyIn(chosen.node, pending) : null
    if (last !== null) line.alone.set(last.key, { place: last.place, micros: (line.alone.get(last.key)?.micros ?? 0) + toMicros - fromMicros })
    extend(line, fromMicros, toMicros)
    const { wait } = chosen.node
    if (wait.toMicros === toMicros) line.ended.push(Math.max(wait.fromMicros, line.spans[line.spans.length - 2]), toMicros)
  }
  return {
    lines: [...lines.values()].map(({ app, spans, ended, counted, labels, alone, behind, unseenMicros, ...times }) => {
      const [{ awaited, via, resumedBy, calledAt, micros }, ...others] = [...labels.values()].sort((left, right) => right.micros - left.micros)
      const seenMicros = others.reduce((all, label) => all + label.micros, micros)
      // In which its waits that were seen waited, also once what is below them was not seen.
      const wholeMicros = segmentsOf([...counted], []).reduce((all, { fromMicros, toMicros }) => all + toMicros - fromMicros, 0)
      const scaled = (/** @type {number} */ one) => one * (1 + unseenMicros / seenMicros)
      return {
        app,
        spans,
        ended,
        awaited,
        via,
        resumedBy,
        calledAt,
        together: Math.max(0, ...[...counted].map(togetherIn)),
        longest: [...alone.values()].find(one => one.micros >= seenMicros * LONGEST_SHARE)?.place ?? null,
        poolMicros: scaled(times.poolMicros),
        turnMicros: scaled(times.turnMicros),
        sharedMicros: scaled(times.sharedMicros),
        behindMicros: scaled(times.behindMicros),
        behind: [...behind],
        count: Math.round(countOf([...counted]) * (unseenMicros === 0 ? 1 : Math.max(1, (seenMicros + unseenMicros) / wholeMicros)))
      }
    }),
    serial: serialOf(nodes)
  }
}

/**
 * @param {Node} combined  waits for Promise.all()
 * @param {Node[]} pending
 * @returns {AppFrame | null} the function in it that waits, at its line, where all others have ended; null: several wait, or none of the application
 */
function onlyIn (combined, pending) {
  const inside = pending.filter(node => node !== combined && node.isOwn && node.callers.has(combined.key)).slice(0, MAX_AT_ONCE)
  const innermost = inside.filter(node => !inside.some(other => isBelow(other, node))).map(({ wait: { stack } }) => stack.app[0])
  return innermost.length > 0 && innermost.every(({ key }) => key === innermost[0].key) ? innermost[0] : null
}

/**
 * @param {{ node: Node, app: AppFrame[] }} chosen
 * @returns {AppFrame['place'] | null} where a function that is not async has called what it returned, and this one awaits
 */
function calledAtIn ({ node: { wait: { made } }, app: [{ key }] }) {
  if (made === null || made.awaited === null || made.isOfSeveral || made.app.length === 0 || made.app[0].key === key) return null
  return made.app[0].place
}

/** @param {OpenLine} line @param {number} fromMicros @param {number} toMicros */
function extend ({ spans }, fromMicros, toMicros) {
  if (spans.at(-1) === fromMicros) spans[spans.length - 1] = toMicros
  else spans.push(fromMicros, toMicros)
}

/**
 * Of a request with too many waits, what a function awaits later is not seen: its time is divided among the lines that had it before.
 * @param {Seen[]} seen
 * @param {Node} node
 * @param {number} fromMicros
 * @param {number} toMicros
 * @returns {boolean} whether there are such lines
 */
function divideUnseen (seen, node, fromMicros, toMicros) {
  /** @type {Map<OpenLine, number>} */
  const before = new Map()
  for (const { line, pending, micros } of seen) if (pending.has(node)) before.set(line, (before.get(line) ?? 0) + micros)
  const sumMicros = [...before.values()].reduce((sum, micros) => sum + micros, 0)
  let atMicros = fromMicros
  for (const [line, micros] of before) {
    const endMicros = atMicros + micros / sumMicros * (toMicros - fromMicros)
    extend(line, atMicros, endMicros)
    line.unseenMicros += endMicros - atMicros
    atMicros = endMicros
  }
  return before.size > 0
}

/**
 * A pool with callbacks gives a connection first, and its library makes the call in that callback, without a function of the application on the stack.
 * @param {readonly Awaited[]} waits
 * @returns {Awaited[]}
 */
function withCallers (waits) {
  const called = waits.filter(({ resource, stack }) => resource !== '' && stack.app.length > 0 && isPackage(stack.awaited))
  return waits.map(wait => {
    const { resource, stack: { app, awaited }, fromMicros } = wait
    if (resource === '' || app.length > 0 || !isPackage(awaited)) return wait
    const before = called.filter(one => one.resource === resource && one.stack.awaited === awaited && one.toMicros <= fromMicros)
      .reduce((last, one) => last === null || one.toMicros > last.toMicros ? one : last, /** @type {Awaited | null} */ (null))
    return before === null || fromMicros - before.toMicros > SAME_MICROS ? wait : { ...wait, stack: before.stack }
  })
}

/**
 * @param {Node[]} nodes
 * @returns {number} waits, without the short ones, as for a connection that a pool has at hand
 */
function countOf (nodes) {
  const long = nodes.filter(node => node.wait.toMicros - node.wait.fromMicros >= MIN_SERIAL_MICROS && !isCallOfThen(node, nodes))
  const some = long.length === 0 ? nodes : long
  // A moment before a function awaits, what it awaits has begun.
  const own = some.filter(({ isOwn }) => isOwn)
  // A framework goes on a moment after the function whose promise it awaits.
  return own.filter(({ isOfFramework }) => !isOfFramework).length || own.length || inSeries(some)
}

/**
 * Where what is awaited is no promise, like a query, V8 waits for the call of its then() as well, meanwhile.
 * @param {Node} node
 * @param {Node[]} nodes
 */
function isCallOfThen (node, nodes) {
  const isOfThenable = (/** @type {Node} */ { key, isOwn, wait: { made } }) => isOwn && made === null && key === node.key
  const { fromMicros, toMicros } = node.wait
  return isOfThenable(node) && nodes.some(other => isOfThenable(other) && other.wait.fromMicros >= fromMicros && other.wait.fromMicros < toMicros && other.wait.toMicros > toMicros)
}

/**
 * @param {Node[]} nodes
 * @returns {number} of them that follow each other: those at the same time, as in a pipeline, are one wait
 */
function inSeries (nodes) {
  let count = 0
  let endMicros = -Infinity
  for (const { wait } of nodes.sort((left, right) => left.wait.toMicros - right.wait.toMicros)) {
    if (wait.fromMicros < endMicros) continue
    count++
    endMicros = wait.toMicros
  }
  return count
}

/**
 * @param {readonly Awaited[]} waits
 * @param {number} fromMicros
 * @param {number} endMicros
 * @returns {number} of this time, in the one that has most of it
 */
function longestOf (waits, fromMicros, endMicros) {
  return Math.max(0, ...waits.map(wait => Math.min(wait.toMicros, endMicros) - Math.max(wait.fromMicros, fromMicros)))
}

/**
 * @typedef {object} Node
 * @property {Awaited} wait
 * @property {string} key  of the function that waits
 * @property {number} depth  of its callers
 * @property {boolean} isOwn  the function itself waits, by await or then()
 * @property {boolean} isOfFramework  a package waits for what the function returned, or waits itself
 * @property {boolean} isCombined
 * @property {string | null} awaitedKey  the function of the application that made what is awaited
 * @property {boolean} isPassedOn  that function returned the promise of another one, and is on no stack since
 * @property {Set<number> | null} lines  at which it may have called what it awaits; null: not known
 * @property {Map<string, Set<number>>} callers  of the function, in any stack of this request, with the lines at which they stood
 * @property {(name: string) => boolean} awaitsPackage  whether this package is awaited in it, by the function or by another package
 */

/** @param {readonly Awaited[]} waits @returns {Node[]} */
function createNodes (waits) {
  /** An async stack is cut where V8 cannot follow the promises: what another stack showed still holds. @type {Map<string, Map<string, Set<number>>>} */
  const callers = new Map()
  for (const { stack } of waits) {
    stack.app.forEach(({ key }, index) => {
      const known = callers.get(key) ?? new Map()
      callers.set(key, known)
      for (const caller of stack.app.slice(index + 1)) {
        if (caller.key !== key) known.set(caller.key, (known.get(caller.key) ?? new Set()).add(caller.place.line))
      }
    })
  }
  const returning = new Set(waits.filter(isReturned).map(({ made }) => made?.app[0].key))
  const ofPackages = waits.filter(({ stack: { isAwait, isThen }, made }) => !isAwait && !isThen && isPackage(made?.awaited ?? null))
  return waits.filter(({ stack }) => stack.app.length > 0 && !stack.isInternal).map(withoutOwn).map(wait => {
    const { made, stack, stack: { app: [{ key, place }] } } = wait
    return {
      wait,
      key,
      depth: stack.app.length,
      isOwn: wait.resource === '' && (stack.isAwait || stack.isThen),
      isOfFramework: false,
      isCombined: wait.resource === '' && stack.isAwait && made?.isCombined === true,
      awaitedKey: made === null || made.isOfSeveral || made.makerKey === key ? null : made.makerKey,
      isPassedOn: returning.has(made?.makerKey ?? undefined),
      lines: callLines(made, key, place.line),
      callers: /** @type {Map<string, Set<number>>} */ (callers.get(key)),
      awaitsPackage: createAwaitsPackage(wait, ofPackages)
    }
  })
}

/**
 * @param {Awaited} wait
 * @param {readonly Awaited[]} ofPackages  what packages await
 * @returns {Node['awaitsPackage']}
 */
function createAwaitsPackage ({ made, fromMicros, toMicros }, ofPackages) {
  /** @type {Set<string | null> | undefined} */
  let names
  return name => {
    const inside = () => ofPackages.filter(one => one.fromMicros >= fromMicros - SAME_MICROS && one.toMicros <= toMicros)
    names ??= new Set([made, ...inside().map(one => one.made)].flatMap(from => [from?.awaited ?? null, from?.via ?? null]))
    return names.has(name)
  }
}

/**
 * What is awaited and no promise, like a query, has one made by the await itself.
 * @param {Awaited} wait
 * @returns {Awaited}
 */
function withoutOwn (wait) {
  const { stack, made } = wait
  // A function that calls itself stands once more on the stack of the call.
  const isOwn = made?.isAwait === true && stack.isAwait && made.makerKey === stack.app[0].key && made.app.length === stack.app.length
  return isOwn ? { ...wait, made: null } : wait
}

/**
 * What packages wait for, where nothing of the application does. A handler may return a query, or its promise, without awaiting it: the framework awaits
 * it, and shows only who made it. A middleware of a package waits at its own line.
 * @param {readonly Awaited[]} waits
 * @returns {Node[]}
 */
function ofFrameworks (waits) {
  return waits.flatMap(wait => {
    const { stack, made, resource } = wait
    if (stack.app.length > 0 || stack.isInternal) return []
    if (made !== null && made.app.length > 0) {
      // Of an async function only where it was called is known.
      const isNamed = made.awaited !== null || made.isOfSeveral
      return resource === '' ? [ofFramework({ ...wait, stack: made, made: isNamed ? made : null }, made.app)] : []
    }
    const { ofPackage } = stack
    // The package is the place: what is awaited is another one, or the kind of the callback.
    return ofPackage === null ? [] : [{ ...ofFramework({ ...wait, stack: { ...stack, app: [ofPackage], awaited: null } }, [ofPackage]), depth: 0, isOwn: resource === '' }]
  })
}

/** @param {Awaited} wait @param {AppFrame[]} app @returns {Node} */
function ofFramework (wait, app) {
  return { wait, key: app[0].key, depth: app.length, isOwn: true, isOfFramework: true, isCombined: false, awaitedKey: null, isPassedOn: false, lines: null, callers: new Map(), awaitsPackage: () => false }
}

/**
 * @param {AwaitStack | null} made  where the awaited promise was made
 * @param {string} key  of the function that awaits it
 * @param {number} line  of the await
 */
function callLines (made, key, line) {
  const call = made?.isOfSeveral === false ? made.app.find(frame => frame.key === key) : undefined
  return call === undefined ? null : new Set([line, call.place.line])
}

/** @param {Node[]} nodes @param {number[]} runs */
function segmentsOf (nodes, runs) {
  /** @type {{ micros: number, change: (pending: Set<Node>) => number }[]} */
  const events = []
  for (const node of nodes) {
    events.push({ micros: node.wait.fromMicros, change: pending => { pending.add(node); return 0 } })
    events.push({ micros: node.wait.toMicros, change: pending => { pending.delete(node); return 0 } })
  }
  runs.forEach((micros, index) => events.push({ micros, change: () => index % 2 === 0 ? 1 : -1 }))
  events.sort((left, right) => left.micros - right.micros)
  const segments = []
  const pending = /** @type {Set<Node>} */ (new Set())
  let running = 0
  let fromMicros = 0
  for (const { micros, change } of events) {
    if (pending.size > 0 && running === 0 && micros > fromMicros) segments.push({ fromMicros, toMicros: micros, pending: [...pending] })
    running += change(pending)
    fromMicros = micros
  }
  return segments
}

/**
 * A promise of the application that is settled by the code of another request: what that one did, or its place in a chain of them.
 * @param {Label & { node: Node }} chosen
 * @returns {number} when the other request began; 0: it waits for something else
 */
function behindOf ({ awaited, node: { isOwn, isCombined, wait: { isByOther, byMicros = 0 } } }) {
  return awaited === null && isOwn && !isCombined && isByOther === true ? byMicros : 0
}

/**
 * @param {Node[]} both  that are pending, with those of frameworks
 * @param {object} unnamed  what names that no function of the application shows by itself
 * @param {Awaited[]} unnamed.lazy      waits of the whole request
 * @param {Awaited[]} unnamed.returned  likewise
 * @param {(node: Node) => Label | null} unnamed.membersOf
 * @param {number} micros  the moment
 * @returns {(Label & { node: Node, app: AppFrame[] }) | null}  app: the line
 */
function choose (both, { lazy, returned, membersOf }, micros) {
  const all = both.filter(({ isOfFramework }) => !isOfFramework)
  if (all.length === 0) {
    // Not those of the framework itself, for a function of the application.
    const isOfPackage = (/** @type {Awaited} */ { made }) => made === null || made.makerKey === null
    // Of functions that return each other's promises, the innermost one.
    const [node] = both.sort((one, other) => other.depth - one.depth || other.wait.fromMicros - one.wait.fromMicros)
    return node === undefined ? null : { node, app: node.wait.stack.app, ...(membersOf(node) ?? awaitedOf(node, [], () => lazyAt(lazy.filter(isOfPackage), node.wait, micros))) }
  }
  const combined = all.filter(({ isCombined }) => isCombined)
  // Promise.all() is one wait.
  const whole = all.filter(node => !combined.some(other => other !== node && node.callers.has(other.key)))
  const pending = (whole.length > MAX_AT_ONCE ? [...whole.filter(({ isOwn }) => isOwn), ...whole.filter(({ isOwn }) => !isOwn)] : whole).slice(0, MAX_AT_ONCE)
  const isLeft = (/** @type {Node} */ node) => {
    // A library's wait, or a callback's, that a function of the application awaits.
    const isAwaited = !node.isOwn && pending.some(other => other.isOwn && isIn(node, other.key))
    return node.isCombined || (!isAwaited && !pending.some(other => isBelow(other, node)))
  }
  const left = pending.filter(isLeft)
  const covers = new Map(left.map(node => [node, pending.filter(other => isBelow(node, other)).length]))
  // What nobody awaits is not what the request waits for.
  const [node] = left.sort((one, other) => {
    return (covers.get(other) ?? 0) - (covers.get(one) ?? 0) || Number(other.wait.stack.isAwait) - Number(one.wait.stack.isAwait) ||
      one.depth - other.depth || one.wait.fromMicros - other.wait.fromMicros
  })
  if (node === undefined) return null
  const inside = node.wait.made === null ? null : returnedAt(returned, returnerOf(node), micros, node.wait.toMicros)
  // An async function that returns a promise waits for it, as if it awaited it.
  const app = inside === null || node.awaitedKey === null ? node.wait.stack.app : inside.app
  return { node, app, ...(membersOf(node) ?? awaitedOf(node, pending, () => node.wait.made === null ? lazyAt(lazy, node.wait, micros) : inside?.label ?? null)) }
}

/**
 * What a package returns to itself in a call is inside of what the function that calls it awaits.
 * @param {readonly Awaited[]} waits
 * @param {Node[]} nodes
 * @returns {Awaited[]} for what functions of the application return
 */
function returnedIn (waits, nodes) {
  const own = groupBy(nodes.filter(({ isOwn }) => isOwn), ({ key }) => key)
  return waits.filter(isReturned).filter(({ made, toMicros }) => {
    return WRAPPERS.has(made?.awaited ?? '') || own.get(made?.app[0].key ?? '')?.some(({ wait }) => wait.fromMicros < toMicros && wait.toMicros >= toMicros) !== true
  })
}

/**
 * Promise.all() of calls to one package is a wait for that package.
 * @param {readonly Awaited[]} waits
 * @param {Node[]} nodes
 * @returns {(node: Node) => Label | null}  what all members await
 */
function createMembersOf (waits, nodes) {
  const members = waits.filter(({ stack }) => stack.isInternal)
  /** @type {Map<Node, Label | null>} */
  const known = new Map()
  const read = (/** @type {Node} */ { key, wait }) => {
    const during = (/** @type {Awaited} */ one) => one.fromMicros >= wait.fromMicros - SAME_MICROS && one.toMicros <= wait.toMicros
    const inside = nodes.filter(node => node.isOwn && !node.isCombined && during(node.wait))
    const own = members.filter(member => during(member) && member.stack.app[0]?.key === key).slice(0, MAX_AT_ONCE)
    const labels = own.flatMap(({ made }) => {
      if (made === null || made.makerKey === null) return { awaited: made?.awaited ?? null, via: made?.via ?? null }
      const { makerKey } = made
      const below = inside.filter(node => isIn(node, makerKey))
      return below.filter(node => !below.some(other => isBelow(other, node))).map(node => packageAwaited(node, inside))
    })
    const [first] = labels
    return first !== undefined && first.awaited !== null && labels.every(({ awaited }) => awaited === first.awaited) ? { ...first, resumedBy: null } : null
  }
  return node => {
    if (node.wait.made?.isCombined !== true) return null
    const found = known.has(node) ? known.get(node) ?? null : read(node)
    known.set(node, found)
    return found
  }
}

/**
 * @param {readonly Awaited[]} waits
 * @returns {(node: Node) => number} promises that it waits for, where that is Promise.all()
 */
function createTogetherIn (waits) {
  const members = waits.filter(({ stack }) => stack.isInternal)
  return ({ key, isCombined, wait: { fromMicros, toMicros } }) => {
    return isCombined ? members.filter(one => one.stack.app[0]?.key === key && one.fromMicros >= fromMicros - SAME_MICROS && one.toMicros <= toMicros).length : 0
  }
}

/** @param {Node} node @param {string} key  of a function */
function isIn (node, key) {
  return node.key === key || node.callers.has(key)
}

/**
 * @param {Node} inner
 * @param {Node} outer
 * @returns {boolean} whether the outer one waits for the function of the inner one
 */
function isBelow (inner, outer) {
  const calledAt = inner.callers.get(outer.key)
  if (inner === outer || !inner.isOwn || !outer.isOwn) return false
  if (calledAt === undefined) return isCalledBack(inner, outer)
  if (outer.awaitedKey !== null && (!outer.isPassedOn || isIn(inner, outer.awaitedKey))) return isIn(inner, outer.awaitedKey)
  const { lines } = outer
  return lines === null || [...lines].some(line => calledAt.has(line))
}

/**
 * A package that is awaited calls a function of the application later, without the one that awaits it on the stack: a resolver of GraphQL, a batch.
 * @param {Node} inner
 * @param {Node} outer
 */
function isCalledBack ({ wait: { stack: { calledBy }, fromMicros, toMicros } }, outer) {
  return calledBy !== null && fromMicros >= outer.wait.fromMicros && toMicros <= outer.wait.toMicros && outer.awaitsPackage(calledBy)
}

/**
 * @param {Node} node
 * @param {Node[]} pending
 * @param {() => Label | null} findUnnamed
 * @returns {Label}
 */
function awaitedOf (node, pending, findUnnamed) {
  const named = { ...packageAwaited(node, pending), resumedBy: null }
  const { settled, stack, made } = node.wait
  // A timer that was set where the promise was made, and did not settle it, only bounds the wait.
  const isBound = node.isOwn && named.awaited === 'timer' && settled !== undefined && settledAs(node.wait)?.awaited !== 'timer' && (made?.awaited ?? null) === null
  const label = isBound ? { ...named, awaited: null } : named
  const isNamed = label.awaited !== null && !WRAPPERS.has(label.awaited)
  if (isNamed || !node.isOwn || made?.isCombined === true || stack.isThen) return label
  return (settled === undefined || settled === null ? findUnnamed() : settledAs(node.wait)) ?? label
}

/**
 * @param {Node} node
 * @returns {string | null} the function that made what it awaits; events.once() itself is async: the one that called it
 */
function returnerOf ({ key, awaitedKey, wait: { made } }) {
  return made !== null && made.awaited !== null && WRAPPERS.has(made.awaited) ? key : awaitedKey
}

/** @param {Node} node @param {Node[]} pending */
function packageAwaited ({ key, isOwn, lines, wait: { stack, made, resource } }, pending) {
  const at = lines ?? new Set([stack.app[0].place.line])
  const of = (/** @type {AwaitStack | null} */ from) => from === null ? null : from.awaited === null ? null : { awaited: from.awaited, via: from.via }
  const inSame = pending.filter(other => !other.isOwn && other.wait.stack.app.some(frame => frame.key === key && at.has(frame.place.line)))
  const found = of(isOwn ? made : stack) ?? inSame.map(({ wait }) => of(wait.stack)).find(one => one !== null) ?? null
  const kind = resource !== '' ? resource : inSame.find(({ wait }) => wait.resource !== '')?.wait.resource ?? ''
  if (made?.isCombined === true) return { awaited: made.awaited, via: null }
  // A resource says more than the module of Node.js that has it.
  if (found !== null && !(kind !== '' && found.awaited.startsWith('node:'))) return found
  return { awaited: kind === '' ? found?.awaited ?? null : kind, via: null }
}

/** @param {Map<string, OpenLine>} lines @param {AppFrame[]} app */
function lineOf (lines, app) {
  const [{ key, place }] = app
  const name = `${key} ${place.line}`
  const known = lines.get(name)
  if (known !== undefined) {
    if (app.length > known.app.length) known.app = app
    return known
  }
  /** @type {OpenLine} */
  const line = { app, spans: [], ended: [], poolMicros: 0, turnMicros: 0, sharedMicros: 0, behindMicros: 0, behind: new Set(), counted: new Set(), unseenMicros: 0, labels: new Map(), alone: new Map() }
  lines.set(name, line)
  return line
}

/**
 * The longest run of awaits of each function that follow each other.
 * @param {Node[]} nodes
 * @returns {Serial[]}
 */
function serialOf (nodes) {
  /** @type {Map<string, Serial & { endMicros: number }>} */
  const current = new Map()
  /** @type {Map<string, Serial & { callers: Map<string, Set<number>> }>} */
  const longest = new Map()
  // A middleware that awaits the next one does not wait in a row with it.
  const isCalling = (/** @type {Node} */ node) => node.awaitedKey === null && node.lines !== null && nodes.some(other => isBelow(other, node))
  const own = nodes.filter(node => node.isOwn && node.wait.stack.isAwait && node.wait.toMicros - node.wait.fromMicros >= MIN_SERIAL_MICROS && !isCalling(node))
  for (const { key, callers, wait: { stack, fromMicros, toMicros } } of own.sort((left, right) => left.wait.fromMicros - right.wait.fromMicros)) {
    const before = current.get(key)
    const next = before !== undefined && before.endMicros <= fromMicros
      ? { ...before, count: before.count + 1, micros: before.micros + toMicros - fromMicros, endMicros: toMicros }
      : { frame: stack.app[0], count: 1, micros: toMicros - fromMicros, endMicros: toMicros }
    current.set(key, next)
    if (next.count > 1 && next.count > (longest.get(key)?.count ?? 0)) longest.set(key, { frame: next.frame, count: next.count, micros: next.micros, callers })
  }
  // Of a function that is called in a row, the caller is the one to change.
  const isCalledInRow = (/** @type {Serial & { callers: Map<string, Set<number>> }} */ { callers, micros }) => {
    return [...callers.keys()].some(key => (longest.get(key)?.micros ?? 0) >= micros * SAME_SHARE)
  }
  return [...longest.values()].filter(serial => !isCalledInRow(serial)).map(({ frame, count, micros }) => ({ frame, count, micros }))
}

module.exports = { attributeWaits }
