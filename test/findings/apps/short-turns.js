'use strict'

const path = require('node:path')
const vm = require('node:vm')

// Eight steps of a tenth of a millisecond or so each, as of eight files: none of them is to blame.
const steps = Array.from({ length: 8 }, (_, step) => new vm.Script(`(function step${step} (value) {
  let sum = value
  for (let index = 0; index < 40000; index++) sum = (sum * ${step + 3} + index) % 1000003
  return sum
})`, { filename: path.join(__dirname, `step-${step}.js`) }).runInThisContext())

module.exports = function many (request, response) {
  let index = 0
  let value = 1
  const next = () => {
    if (index === steps.length) return response.end(String(value))
    value = steps[index++](value)
    setImmediate(next)
  }
  next()
}
