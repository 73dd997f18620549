'use strict'

const Ajv = require('ajv')
const _ = require('lodash')

const lineOf = index => ({ sku: `SKU-${index}`, count: index % 9, price: { net: index * 1.1, currency: 'EUR' }, tags: ['a', 'b'] })
const ALL_LINES = Array.from({ length: 200_000 }, (_, index) => lineOf(index))

const validate = new Ajv({ allErrors: true }).compile({
  type: 'object',
  required: ['sku', 'count', 'price'],
  properties: {
    sku: { type: 'string', pattern: '^SKU-[0-9]+$' },
    count: { type: 'integer', minimum: 1 },
    price: { type: 'object', properties: { net: { type: 'number' }, currency: { enum: ['EUR', 'USD'] } } },
    tags: { type: 'array', uniqueItems: true, items: { type: 'string', maxLength: 20 } }
  }
})

function stateOf (id, lines) {
  return { id, lines: ALL_LINES.slice(0, lines), totals: new Map() }
}

function snapshotState (id, lines) {
  const state = stateOf(id, lines)
  if (lines === 0) return state

  return _.cloneDeep(state) // truth: lodash
}

async function createDraft (id, lines) {
  const order = stateOf(id, lines)
  await null
  const draft = structuredClone(order) // truth: structuredClone
  draft.id = `${id}-draft`
  return draft
}

function countInvalid (times) {
  let invalid = 0
  for (let round = 0; round < times; round++) {
    const line = ALL_LINES[round % ALL_LINES.length]
    if (!validate(line)) invalid++ // truth: generated code of ajv
  }
  return invalid
}

module.exports = { snapshotState, createDraft, countInvalid }
