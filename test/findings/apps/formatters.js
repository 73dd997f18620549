'use strict'

const amounts = Array.from({ length: 400 }, (_, index) => index * 137)

function toMoney (amount) {
  return new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' }).format(amount / 100) // finding: formatters
}

module.exports = function invoice (request, response) {
  response.end(amounts.map(toMoney).join('\n'))
}
