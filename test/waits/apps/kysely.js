'use strict'

// One query for the orders, and one for each of their rows.

const { Kysely, PostgresDialect, sql } = require('kysely')
const { Pool } = require('pg')
const express = require('express')
const diagnostics = require('../../..')

const pool = new Pool({ host: '127.0.0.1', port: Number(process.env.SLOW_PG_PORT), user: 'root', database: 'postgres', max: 30 })
const db = new Kysely({ dialect: new PostgresDialect({ pool }) })

async function loadLines () {
  const { rows } = await sql`SELECT * FROM generate_series(1, 10) AS id`.execute(db)
  const lines = []
  for (const { id } of rows) lines.push(await sql`SELECT ${id}::int AS line`.execute(db)) // the wait
  return lines
}

module.exports = express()
  .use(diagnostics())
  .get('/orders/:id', async (request, response) => { response.json({ lines: (await loadLines()).length }) })
