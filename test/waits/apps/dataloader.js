'use strict'

// The customers of all orders with one slow query, by a loader: no function of the application awaits the batch.

const DataLoader = require('dataloader')
const { buildSchema, graphql } = require('graphql')
const { Pool } = require('pg')

const pool = new Pool({ host: '127.0.0.1', port: Number(process.env.PG_PORT), user: 'root', database: 'postgres', max: 20 })
const schema = buildSchema('type Customer { id: Int } type Order { id: Int, customer: Customer } type Query { orders: [Order] }')
const rootValue = { orders: () => Array.from({ length: 10 }, (_, id) => ({ id, customer: (args, { customers }) => customers.load(id) })) }

async function loadCustomers (ids) {
  const { rows } = await pool.query('SELECT unnest($1::int[]) AS id, (SELECT pg_sleep(0.7))::text', [ids]) // the wait
  return rows
}

module.exports = async function orders (request, response) {
  const contextValue = { customers: new DataLoader(loadCustomers) }
  const answer = await graphql({ schema, source: '{ orders { id customer { id } } }', rootValue, contextValue })
  response.end(JSON.stringify(answer))
}
