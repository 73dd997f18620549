'use strict'

// The customers of all orders with one query, by a loader.

const DataLoader = require('dataloader')
const { buildSchema, graphql } = require('graphql')
const { Pool } = require('pg')
const express = require('express')
const diagnostics = require('../../..')

const pool = new Pool({ host: '127.0.0.1', port: Number(process.env.PG_PORT), user: 'root', database: 'postgres', max: 20 })
const schema = buildSchema('type Customer { id: Int } type Order { id: Int, customer: Customer } type Query { orders: [Order] }')

class Order {
  constructor (id) { this.id = id }
  customer (args, { customers }) { return customers.load(this.id) }
}

const rootValue = {
  async orders () {
    const { rows } = await pool.query('SELECT * FROM generate_series(1, 20) AS id')
    return rows.map(({ id }) => new Order(id))
  }
}

async function loadCustomers (ids) {
  const { rows } = await pool.query('SELECT unnest($1::int[]) AS id', [ids])
  return rows
}

module.exports = express()
  .use(diagnostics())
  .get('/graphql', async (request, response) => {
    const contextValue = { customers: new DataLoader(loadCustomers) }
    response.json(await graphql({ schema, source: '{ orders { id customer { id } } }', rootValue, contextValue }))
  })
