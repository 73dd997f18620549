'use strict'

const orders = Array.from({ length: 40_000 }, (_, id) => ({ id, customer: { name: `customer ${id}`, tags: ['a', 'b', String(id)] }, total: id * 1.17 }))

module.exports = function listOrders (request, response) {
  const body = JSON.stringify(orders) // finding: json-stringify
  response.end(body)
}
