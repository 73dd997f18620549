'use strict'

// Code that is made at run time.

const Handlebars = require('handlebars')
const _ = require('lodash')
const vm = require('node:vm')

const ROWS = Array.from({ length: 1000 }, (_, id) => ({ id, name: `Name ${id}`, city: id % 7 === 0 ? 'Köln & Bonn' : 'Ulm' }))
const MANY = Array.from({ length: 1_000_000 }, (_, index) => ROWS[index % ROWS.length])
const rowsOf = size => MANY.slice(0, size)

const LETTER = '<% rows.forEach(function (row) { %><li><b><%- row.id %></b> <%- row.name %> <%= row.city %></li><% }) %>'
const letter = _.template(LETTER, { sourceURL: 'templates/letter.tpl' })
const nameless = _.template(LETTER)
const card = Handlebars.compile('{{#each rows}}<p>{{id}} {{name}} {{city}}</p>{{/each}}')
const formula = new Function('size', 'let sum = 0\nfor (let at = 0; at < size; at++) sum += Math.log10(at + 1)\nreturn sum') // eslint-disable-line no-new-func
const rule = vm.runInThisContext('(size => { let sum = 0; for (let at = 0; at < size; at++) sum += Math.sin(at) * 7; return sum })')

function lettering (size) {
  const rows = rowsOf(size)
  return letter({ rows }).length // truth: template with a name
}

function listing (size) {
  const rows = rowsOf(size)
  return nameless({ rows }).length // truth: template of lodash
}

function carding (size) {
  const rows = rowsOf(size)
  return card({ rows }).length // truth: template of handlebars
}

function calculating (size) {
  if (size < 1) return 0
  return formula(size) // truth: function of a text
}

function ruling (size) {
  if (size < 1) return 0
  return rule(size) // truth: script without a file
}

module.exports = { lettering, listing, carding, calculating, ruling }
