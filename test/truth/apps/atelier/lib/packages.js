'use strict'

const Ajv = require('ajv')
const { XMLBuilder } = require('fast-xml-parser')
const yaml = require('js-yaml')
const _ = require('lodash')
const { from, map, reduce } = require('rxjs')
const typescript = require('typescript')

const ROWS = Array.from({ length: 1000 }, (_, id) => ({ id, name: `Name ${id * 7919 % 1009}`, tags: ['a', `t${id}`] }))
const MANY = Array.from({ length: 1_000_000 }, (_, index) => ROWS[index % ROWS.length])
const rowsOf = size => MANY.slice(0, size)

function ordering (size) {
  const rows = rowsOf(size)
  return _.orderBy(rows, ['name', 'id'], ['desc', 'asc']).length // truth: lodash orderBy
}

function grouping (size) {
  let groups = 0
  for (let left = size; left > 0; left -= MANY.length) {
    groups += Object.keys(_.groupBy(rowsOf(left), row => `${row.name}${row.id % 10}`)).length // truth: lodash groupBy
  }
  return groups
}

function dumping (size) {
  const rows = rowsOf(size).map(row => ({ ...row }))
  return yaml.dump(rows).length // truth: js-yaml dump
}

function building (size) {
  const rows = rowsOf(size)
  return new XMLBuilder().build({ rows: { row: rows } }).length // truth: XMLBuilder
}

function compiling (size) {
  const properties = Object.fromEntries(rowsOf(20).map((_, id) => [`p${id}`, { type: 'string', maxLength: id + 1 }]))
  let compiled = 0
  for (let left = size; left > 0; left--) {
    compiled += new Ajv().compile({ type: 'object', properties }).length // truth: ajv compile
  }
  return compiled
}

function transpiling (size) {
  const text = rowsOf(size).map(({ id }, at) => `export const value${at}: number = ${id} as number`).join('\n')
  return typescript.transpileModule(text, {}).outputText.length // truth: typescript
}

function observing (size) {
  let sum = 0
  from(rowsOf(size)).pipe(map(slowly), reduce((all, one) => all + one, 0)).subscribe(value => { sum = value })
  return sum
}

function slowly ({ id }) {
  let value = id
  for (let round = 0; round < 300; round++) value = Math.cos(value) * round // truth: operator of rxjs
  return value
}

module.exports = { ordering, grouping, dumping, building, compiling, transpiling, observing }
