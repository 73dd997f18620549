'use strict'

// Heap snapshots for tests: written by a fixture, or put together by hand.

const { execFile } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { promisify } = require('node:util')
const { makeDirectory } = require('../store/scratch')

/**
 * @param {string} fixture  in test/fixtures/heap
 * @param {(folder: string) => string[]} argsOf
 * @returns {Promise<string>} folder with what it wrote; the caller's to remove
 */
async function writtenBy (fixture, argsOf = folder => [folder]) {
  const folder = makeDirectory()
  await promisify(execFile)(process.execPath, [path.resolve(__dirname, '../fixtures/heap', fixture), ...argsOf(folder)], { maxBuffer: 1e8 })
  return folder
}

const META = {
  node_fields: ['type', 'name', 'id', 'self_size', 'edge_count', 'detachedness'],
  node_types: [['hidden', 'array', 'string', 'object', 'code', 'closure', 'regexp', 'number', 'native', 'synthetic']],
  edge_fields: ['type', 'name_or_index', 'to_node'],
  edge_types: [['context', 'element', 'property', 'internal', 'hidden', 'shortcut', 'weak']],
  location_fields: ['object_index', 'script_id', 'line', 'column']
}

/**
 * @param {{ type?: string, name: string, id?: number, size?: number, edges?: [type: string, name: string | number, to: number][] }[]} nodes
 * @returns {any} as in a file
 */
function snapshotOf (nodes) {
  const strings = ['<dummy>']
  const indexOf = text => strings.includes(text) ? strings.indexOf(text) : strings.push(text) - 1
  const [nodeTypes] = META.node_types
  const [edgeTypes] = META.edge_types
  const edges = nodes.flatMap(({ edges = [] }) => edges.flatMap(([type, name, to]) => [
    edgeTypes.indexOf(type), typeof name === 'number' ? name : indexOf(name), to * META.node_fields.length
  ]))
  return {
    snapshot: { meta: META, node_count: nodes.length, edge_count: edges.length / 3 },
    nodes: nodes.flatMap(({ type = 'object', name, id, size = 8, edges = [] }, at) => [nodeTypes.indexOf(type), indexOf(name), id ?? at * 2 + 1, size, edges.length, 0]),
    edges,
    locations: [],
    strings
  }
}

/** @param {any} snapshot */
function writeSnapshot (snapshot, folder = makeDirectory(), name = 'made.heapsnapshot') {
  const file = path.join(folder, name)
  fs.writeFileSync(file, JSON.stringify(snapshot))
  return file
}

module.exports = { writtenBy, snapshotOf, writeSnapshot }
