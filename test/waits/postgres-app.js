'use strict'

// node --require loopscope/register postgres-app.js: routes that ask a PostgreSQL through several libraries, each with a pool of its own. It measures by
// itself how long each request waited for a connection.

const http = require('node:http')
const { load } = require('./servers')

const { PG_PORT, POOL_SIZE, LIBRARY } = process.env
const settings = { host: '127.0.0.1', port: Number(PG_PORT), user: 'root', database: 'postgres' }
const max = Number(POOL_SIZE)

const libraries = {
  pg () {
    const pool = new (load('pg').Pool)({ ...settings, max })
    return async function withPg () {
      await pool.query('SELECT 1')
    }
  },
  connect () {
    const pool = new (load('pg').Pool)({ ...settings, max })
    return async function withConnect () {
      const client = await pool.connect()
      try {
        await client.query('SELECT 1')
      } finally {
        client.release()
      }
    }
  },
  knex () {
    const knex = load('knex')({ client: 'pg', connection: settings, pool: { min: 0, max } })
    return async function withKnex () {
      await knex.select(knex.raw('1 AS one'))
    }
  },
  drizzle () {
    const db = load('drizzle-orm/node-postgres').drizzle(new (load('pg').Pool)({ ...settings, max }))
    const { sql } = load('drizzle-orm')
    return async function withDrizzle () {
      await db.execute(sql`SELECT 1`)
    }
  },
  unpooled () {
    const { Client } = load('pg')
    return async function withClient () {
      const client = new Client(settings)
      await client.connect()
      await client.query('SELECT 1')
      await client.end()
    }
  }
}

const query = libraries[LIBRARY]()
const server = http.createServer(async (request, response) => {
  await query()
  response.end('{}')
})
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ msg: 'listening', port: server.address().port })))
