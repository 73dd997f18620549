'use strict'

const text = JSON.stringify(Array.from({ length: 40_000 }, (_, id) => ({ id, customer: { name: `customer ${id}`, tags: ['a', 'b', String(id)] } })))

module.exports = function importOrders (request, response) {
  const orders = JSON.parse(text) // finding: json-parse
  response.end(String(orders.length))
}
