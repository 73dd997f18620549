'use strict'

// One connection for all requests.

const { Pool } = require('undici')

const pool = new Pool(`http://127.0.0.1:${process.env.UPSTREAM_PORT}`, { connections: 1 })

module.exports = async function prices (request, response) {
  const { body } = await pool.request({ path: '/60', method: 'GET' }) // the wait
  response.end(await body.text())
}
