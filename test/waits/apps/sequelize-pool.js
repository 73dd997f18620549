'use strict'

// An ORM with a pool of two connections.

const { Sequelize } = require('sequelize')

const sequelize = new Sequelize('postgres', 'root', '', { host: '127.0.0.1', port: Number(process.env.PG_PORT), dialect: 'postgres', logging: false, pool: { max: 2 } })

async function countOrders () {
  const [rows] = await sequelize.query('SELECT 1 AS count') // the wait
  return rows[0].count
}

module.exports = async function count (request, response) {
  response.end(String(await countOrders()))
}
