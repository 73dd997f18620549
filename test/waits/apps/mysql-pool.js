'use strict'

// Two connections for all requests.

const express = require('express')
const mysql = require('mysql2/promise')
const diagnostics = require('../../..')

const pool = mysql.createPool({ host: '127.0.0.1', port: Number(process.env.MYSQL_PORT), user: 'root', connectionLimit: 2 })

async function loadUser (id) {
  const [[user]] = await pool.query('SELECT ? AS id', [id]) // the wait
  return user
}

module.exports = express()
  .use(diagnostics())
  .get('/users/:id', async (request, response) => { response.json(await loadUser(request.params.id)) })
