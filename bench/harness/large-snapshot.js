'use strict'

// Writes a heap snapshot file of any size without a heap of that size: a list of sessions, each with strings, an object, an array and a
// function, in the layout of Node.js 24, with as many edges for each node as V8 writes, and a few bytes less.

const fs = require('node:fs')

const NODE_FIELDS = ['type', 'name', 'id', 'self_size', 'edge_count', 'detachedness']
const NODE_TYPES = ['hidden', 'array', 'string', 'object', 'code', 'closure', 'regexp', 'number', 'native', 'synthetic']
const EDGE_TYPES = ['context', 'element', 'property', 'internal', 'hidden', 'shortcut', 'weak']
const NAMES = ['<dummy>', '', '(GC roots)', 'global', 'Array', 'system / Map', 'touch', 'Session', 'Object', 'sessions', 'elements', 'map',
  'id', 'data', 'user', 'seen', 'context', '(object elements)', 'properties', 'shared', 'code', 'feedback_cell', 'prototype']
const [HIDDEN, ARRAY, STRING, OBJECT, , CLOSURE, , , , SYNTHETIC] = NODE_TYPES.keys()
const [, ELEMENT, PROPERTY, INTERNAL, , SHORTCUT] = EDGE_TYPES.keys()
const FIXED = 6 // nodes in front of the sessions
const [, , GLOBAL, LIST, TABLE, MAP] = Array(FIXED).keys()
const NODES = 7 // of each session
const EDGES = 22 // of each session; one more leads to it
const BYTES_EACH = 490 // of each session, where there are two million
const FLUSH_CHARS = 1 << 20

const name = (/** @type {string} */ text) => NAMES.indexOf(text)
const to = (/** @type {number} */ node) => node * NODE_FIELDS.length

/**
 * @param {string} file
 * @param {number} bytes  about as many
 */
function writeLargeSnapshot (file, bytes) {
  const sessions = Math.round(bytes / BYTES_EACH)
  const writer = new Writer(fs.openSync(file, 'wx', 0o600))
  try {
    const meta = { node_fields: NODE_FIELDS, node_types: [NODE_TYPES], edge_fields: ['type', 'name_or_index', 'to_node'], edge_types: [EDGE_TYPES] }
    const snapshot = { meta, node_count: FIXED + sessions * NODES, edge_count: 4 + sessions * (EDGES + 1) }
    writer.add(`{"snapshot":${JSON.stringify(snapshot)},"nodes":[${fixedNodes(sessions)}`)
    for (let at = 0; at < sessions; at++) writer.add(`,${nodesOf(at)}`)
    writer.add(`],"edges":[${fixedEdges()}`)
    for (let at = 0; at < sessions; at++) writer.add(`,${ELEMENT},${at},${to(FIXED + at * NODES)}`)
    for (let at = 0; at < sessions; at++) writer.add(`,${edgesOf(FIXED + at * NODES)}`)
    writer.add(`],"locations":[],"strings":[${NAMES.map(text => JSON.stringify(text)).join()}`)
    for (let at = 0; at < sessions; at++) writer.add(`,"session ${at} of a browser that came back","user ${at} with a name and an address"`)
    writer.add(']}')
  } finally {
    writer.close()
  }
}

class Writer {
  #fd
  #text = ''

  /** @param {number} fd */
  constructor (fd) {
    this.#fd = fd
  }

  /** @param {string} text */
  add (text) {
    this.#text += text
    if (this.#text.length >= FLUSH_CHARS) this.#flush()
  }

  close () {
    this.#flush()
    fs.closeSync(this.#fd)
  }

  #flush () {
    fs.writeSync(this.#fd, this.#text, null, 'latin1')
    this.#text = ''
  }
}

/** @param {number} sessions */
function fixedNodes (sessions) {
  return [
    [SYNTHETIC, name(''), 1, 0, 1, 0], [SYNTHETIC, name('(GC roots)'), 3, 0, 0, 0], [OBJECT, name('global'), 5, 24, 1, 0],
    [OBJECT, name('Array'), 7, 16, 2, 0], [ARRAY, name('(object elements)'), 9, 16 + sessions * 8, sessions, 0], [HIDDEN, name('system / Map'), 11, 80, 0, 0]
  ].join()
}

function fixedEdges () {
  return [
    [SHORTCUT, name('global'), to(GLOBAL)], [PROPERTY, name('sessions'), to(LIST)], [INTERNAL, name('elements'), to(TABLE)], [INTERNAL, name('map'), to(MAP)]
  ].join()
}

/** @param {number} at */
function nodesOf (at) {
  const id = 2 * (FIXED + at * NODES) + 1
  const text = NAMES.length + 2 * at
  return `${OBJECT},${name('Session')},${id},40,6,0,${STRING},${text},${id + 2},32,1,0,${OBJECT},${name('Object')},${id + 4},32,3,0,` +
    `${STRING},${text + 1},${id + 6},24,1,0,${OBJECT},${name('Array')},${id + 8},16,2,0,${ARRAY},${name('(object elements)')},${id + 10},32,3,0,` +
    `${CLOSURE},${name('touch')},${id + 12},32,6,0`
}

/** @param {number} node  the session */
function edgesOf (node) {
  const [session, id, data, user, seen, elements, touch] = Array.from({ length: NODES }, (_, at) => to(node + at))
  const internal = (/** @type {string} */ text, target = to(MAP)) => `${INTERNAL},${name(text)},${target}`
  const property = (/** @type {string} */ text, /** @type {number} */ target) => `${PROPERTY},${name(text)},${target}`
  const map = internal('map')
  return [
    property('id', id), property('data', data), property('touch', touch), internal('properties'), internal('elements'), map,
    map,
    property('user', user), property('seen', seen), map,
    map,
    internal('elements', elements), map,
    `${ELEMENT},0,${user},${ELEMENT},1,${to(GLOBAL)}`, map,
    internal('context', session), internal('shared'), internal('code'), internal('feedback_cell'), property('prototype', to(GLOBAL)), map
  ].join()
}

module.exports = { writeLargeSnapshot }
