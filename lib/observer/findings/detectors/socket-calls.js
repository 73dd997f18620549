'use strict'

// Detectors of too many system calls on sockets: many small writes per message, datagrams, many small reads, a new connection each time.

const { makeFinding, MIN_SAMPLES } = require('../finding')
const { DATAGRAMS } = require('./builtins')
const { manyWrites, observedMsOf, ranShare, requestsPerSecond, utilizationOf } = require('../../../shared/findings/readings')
const { bytes, duration, percent, placed, rounded } = require('../../../shared/findings/format-text')

/** @import { Finding } from '../../../../types/findings' */
/** @import { Detector } from '../finding' */
/** @import { Readings } from '../../../shared/findings/readings' */

// Shares of the busy and of the observed time: in a server with little other work, sockets always come first.
// What a server of datagrams is for takes some of its time.
const SENDS = Object.freeze({ ofBusy: 0.4, ofTime: 0.2 })
const READS = Object.freeze({ ofBusy: 0.4, ofTime: 0.1, perSecond: 2000, maxBytes: 256, perRequest: 3 })
const CONNECTS = Object.freeze({ ofBusy: 0.15, ofTime: 0.05 })
// Most of the cost of accepting a connection is in the event loop's own I/O.
const ACCEPTS = Object.freeze({ ofBusy: 0.015, withClosing: 0.06, utilization: 0.3 })

/** @type {Detector} */
const socketCalls = {
  ids: ['socket-writes', 'socket-reads', 'socket-connects'],
  explains: ['many-short-turns', 'slow-elsewhere'],
  find (readings, found) {
    const writes = findWrites(readings)
    // Fewer writes lead to fewer reads: responses come in fewer pieces, too.
    return [...writes, ...findSends(readings, found), ...writes.length > 0 ? [] : findReads(readings), ...findConnects(readings), ...findAccepts(readings)]
  }
}

/** @param {Readings} readings @returns {Finding[]} */
function findWrites (readings) {
  const many = manyWrites(readings)
  const { activity, pid } = readings
  if (many === null || activity === null) return []
  const { ms, where, samples } = activity.sockets.writes
  const share = ms / activity.busyMs
  const times = `about ${rounded(many.times, many.times < 10 ? 1 : 0)} for each ${many.of === 'request' ? 'request' : 'message read'}`
  return [makeFinding(readings, {
    id: 'socket-writes',
    title: `${where?.route ?? 'The process'} spends ${percent(share)} of the loop's busy time in socket writes${where === null ? '' : ` of ${placed(where)}`}, ${times}.`,
    lostMs: ms * ranShare(readings) * (1 - 1 / many.times),
    what: `${Math.round(many.perSecond)} writes per second, ${bytes(many.bytes)} on average, took ${duration(ms)} of the last ${duration(observedMsOf(readings))}${byOne(where)}.`,
    where: placeOf(where),
    why: 'each write is a system call, and with TCP_NODELAY a packet of its own',
    instead: 'send what belongs together with one write: join the parts, or call socket.cork() before and socket.uncork() after them; batch messages that go to the same socket',
    evidence: { busyShare: rounded(share, 3), ms: rounded(ms), samples, writesPerSecond: Math.round(many.perSecond), writesPerMessage: rounded(many.times), bytesPerWrite: Math.round(many.bytes) },
    confidence: where === null ? 'medium' : 'high',
    next: [`npx loopscope profile ${pid}`]
  })]
}

/**
 * The system's count of writes does not include datagrams, but each is a call of its own.
 * @param {Readings} readings
 * @param {readonly Finding[]} found  where it sends at once, the function has its finding
 * @returns {Finding[]}
 */
function findSends (readings, found) {
  const { activity, pid } = readings
  if (activity === null) return []
  const { ms, samples, where } = activity.sockets.sends
  const share = ms / Math.max(1, activity.busyMs)
  if (samples < MIN_SAMPLES || share < SENDS.ofBusy || ms < observedMsOf(readings) * SENDS.ofTime) return []
  if (where !== null && found.some(one => one.where?.function === where.function && one.where.file === where.file)) return []
  return [makeFinding(readings, {
    id: 'socket-writes',
    title: `The process spends ${percent(share)} of the loop's busy time in sending datagrams (UDP)${where === null ? '' : `, most of them from ${placed(where)}`}.`,
    lostMs: ms * ranShare(readings),
    what: `Sending took ${duration(ms)} of the last ${duration(observedMsOf(readings))}.`,
    where: placeOf(where),
    ...DATAGRAMS,
    evidence: { busyShare: rounded(share, 3), ms: rounded(ms), samples },
    confidence: where === null ? 'medium' : 'high',
    next: [`npx loopscope profile ${pid}`]
  })]
}

/** @param {Readings} readings @returns {Finding[]} */
function findReads (readings) {
  const { activity, system: { io, ms }, pid } = readings
  if (activity === null || io === null || ms === 0) return []
  const { loopMs } = activity.sockets
  const perSecond = io.reads * 1e3 / ms
  const size = io.readBytes / Math.max(1, io.reads)
  const share = loopMs / activity.busyMs
  if (share < READS.ofBusy || loopMs < observedMsOf(readings) * READS.ofTime) return []
  if (perSecond < READS.perSecond || size > READS.maxBytes || perSecond < requestsPerSecond(readings) * READS.perRequest) return []
  return [makeFinding(readings, {
    id: 'socket-reads',
    title: `${percent(share)} of the loop's busy time is event loop I/O: ${Math.round(perSecond)} reads per second of ${bytes(size)} on average.`,
    lostMs: loopMs * ranShare(readings),
    what: `Reading and polling outside JavaScript took ${duration(loopMs)} of the last ${duration(observedMsOf(readings))}.`,
    why: 'each read is a system call and a pass through the stream code, however few bytes it brings',
    instead: 'let the senders combine several messages in one write (cork, a batch every few milliseconds), or send less often',
    evidence: { busyShare: rounded(share, 3), ms: rounded(loopMs), readsPerSecond: Math.round(perSecond), bytesPerRead: Math.round(size) },
    confidence: 'medium',
    next: [`npx loopscope profile ${pid}`]
  })]
}

/** @param {Readings} readings @returns {Finding[]} */
function findConnects (readings) {
  const { activity, pid } = readings
  if (activity === null) return []
  const { ms, samples, where } = activity.sockets.connects
  const share = ms / Math.max(1, activity.busyMs)
  if (samples < MIN_SAMPLES || share < CONNECTS.ofBusy || ms < observedMsOf(readings) * CONNECTS.ofTime) return []
  return [makeFinding(readings, {
    id: 'socket-connects',
    title: `${where?.route ?? 'The process'} spends ${percent(share)} of the loop's busy time in opening connections${where === null ? '' : `, called in ${placed(where)}`}.`,
    lostMs: ms * ranShare(readings),
    what: `Opening connections took ${duration(ms)} of the last ${duration(observedMsOf(readings))}; closing them, and the work of the operating system, is not included.`,
    where: placeOf(where),
    why: 'a new connection costs system calls, a handshake and, with TLS, cryptography, before the first byte',
    instead: 'keep connections open and reuse them: http.Agent with keepAlive, the pool of the client or driver, one client per process instead of one per request',
    evidence: { busyShare: rounded(share, 3), ms: rounded(ms), samples },
    confidence: where === null ? 'medium' : 'high',
    next: [`npx loopscope profile ${pid}`]
  })]
}

/** @param {Readings} readings @returns {Finding[]} */
function findAccepts (readings) {
  const { activity, pid } = readings
  if (activity === null || utilizationOf(readings) < ACCEPTS.utilization) return []
  const { busyMs, sockets: { accepts: { ms, samples, closingMs }, loopMs } } = activity
  const share = (ms + closingMs) / busyMs
  if (samples < MIN_SAMPLES || ms < busyMs * ACCEPTS.ofBusy || share < ACCEPTS.withClosing) return []
  return [makeFinding(readings, {
    id: 'socket-connects',
    title: `Clients open new connections all the time: accepting and closing them takes ${percent(share)} of the loop's busy time, and part of the ${percent(loopMs / busyMs)} in event loop I/O.`,
    lostMs: (ms + closingMs) * ranShare(readings),
    what: `Connections of clients took ${duration(ms + closingMs)} of the last ${duration(observedMsOf(readings))} in JavaScript and the calls below it; accepting them is done outside.`,
    why: 'a new connection costs system calls, a handshake and, with TLS, cryptography, before the first byte',
    instead: 'let clients and the proxy keep connections open (keep-alive; upstream keepalive in nginx), do not send Connection: close, and set server.keepAliveTimeout higher than theirs',
    evidence: { busyShare: rounded(share, 3), ms: rounded(ms), closingMs: rounded(closingMs), samples },
    confidence: 'medium',
    next: [`npx loopscope profile ${pid}`]
  })]
}

/** @param {import('../../../shared/findings/readings').SocketTime['where']} where */
function byOne (where) {
  return where === null || where.share > 0.95 ? '' : `; ${percent(where.share)} of that in ${where.function}`
}

/**
 * @param {import('../../../shared/findings/readings').SocketTime['where']} where
 * @returns {Finding['where']}
 */
function placeOf (where) {
  if (where === null) return null
  const { share, ...place } = where
  return place
}

module.exports = { socketCalls }
