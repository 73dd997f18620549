'use strict'

// The head of a heap snapshot file: how many records follow, and which fields they have.

/** Fields that every version has had; without one of them a reader would take wrong numbers for right ones. */
const NODE_FIELDS = Object.freeze(['type', 'name', 'id', 'self_size', 'edge_count'])
const EDGE_FIELDS = Object.freeze(['type', 'name_or_index', 'to_node'])

/**
 * @typedef {object} Header
 * @property {number} node_count
 * @property {number} edge_count
 * @property {number} [extra_native_bytes]
 * @property {{ node_fields: string[], node_types: any[], edge_fields: string[], edge_types: any[], location_fields?: string[] }} meta
 */

/**
 * @param {string} text  what stands in front of the nodes
 * @param {(wanted: string, got: string) => never} refuse
 * @returns {Header}
 */
function parseHeader (text, refuse) {
  const header = readObject(text) ?? refuse('a header with fields and types', JSON.stringify(text.slice(0, 40)))
  const { node_fields: nodeFields, edge_fields: edgeFields } = header.meta
  const missing = NODE_FIELDS.find(name => !nodeFields.includes(name)) ?? EDGE_FIELDS.find(name => !edgeFields.includes(name))
  return missing === undefined ? header : refuse(`a header with the field ${missing}`, 'none')
}

/**
 * @param {string} text
 * @returns {Header | null}
 */
function readObject (text) {
  try {
    const { snapshot } = JSON.parse(`${text.replace(/,\s*$/, '')}}`)
    const { node_fields: nodeFields, node_types: [nodeTypes], edge_fields: edgeFields, edge_types: [edgeTypes] } = snapshot.meta
    const { location_fields: locationFields = [] } = snapshot.meta
    return [nodeFields, nodeTypes, edgeFields, edgeTypes, locationFields].every(Array.isArray) ? snapshot : null
  } catch {
    return null
  }
}

module.exports = { parseHeader }
