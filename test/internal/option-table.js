'use strict'

// The table of docs/options.md as lib/api/options/options.js has it. `node test/internal/option-table.js` prints it.

const os = require('node:os')
const { OPTIONS, variableOf } = require('../../lib/api/options/options')

/** What differs from machine to machine is named instead. */
function describeDefault ({ path, defaultValue }) {
  if (defaultValue === undefined) return ''
  if (path === 'dir') return `\`<temporary folder>${defaultValue.slice(os.tmpdir().length).replace(/[^-]*$/, '<user id>')}\``
  return `\`${typeof defaultValue === 'string' ? `'${defaultValue}'` : inline(defaultValue)}\``
}

function inline (value) {
  return typeof value === 'object' ? JSON.stringify(value).replaceAll('"', '\'').replace(/'(\w+)':/g, '$1: ') : String(value)
}

/** @returns {string[][]} cells: path, variable, wanted, default, meaning */
function optionTable () {
  return OPTIONS.map(row => {
    const variable = variableOf(row)
    return [`\`${row.path}\``, variable === null ? '' : `\`${variable}\``, row.wanted, describeDefault(row), row.meaning]
  })
}

if (require.main === module) {
  for (const cells of optionTable()) console.log(`| ${cells.join(' | ')} |`)
}

module.exports = { optionTable }
