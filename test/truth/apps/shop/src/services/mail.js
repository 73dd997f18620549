'use strict'

const Handlebars = require('handlebars')
const sales = require('./sales')

Handlebars.registerHelper('money', amount => `${amount.toFixed(2)} €`)

const template = Handlebars.compile(`<table>{{#each rows}}
  <tr><td>{{id}}</td><td>{{customer}}</td><td>{{city}}</td><td>{{money amount}}</td></tr>
{{/each}}</table>`)

function renderDigest (count) {
  const rows = sales.lastRows(count)

  const html = template({ rows }) // truth: handlebars
  return html
}

module.exports = { renderDigest }
