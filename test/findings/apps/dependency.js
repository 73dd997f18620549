'use strict'

const fs = require('node:fs')
const acorn = require('acorn')

const source = fs.readFileSync(require.resolve('acorn'), 'utf8').repeat(2)

module.exports = function lint (request, response) {
  const tree = acorn.parse(source, { ecmaVersion: 2022 }) // finding: dependency
  response.end(String(tree.body.length))
}
