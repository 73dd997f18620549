'use strict'

// Much at once, and nothing for long: a pipeline, a pool, a limit with room, a worker, a file, a stream.

const fs = require('node:fs')
const { Readable } = require('node:stream')
const { pipeline } = require('node:stream/promises')
const { Worker } = require('node:worker_threads')
const { once } = require('node:events')
const limit = require('p-limit')(20)
const Redis = require('ioredis').default
const mysql = require('mysql2/promise')

const redis = new Redis({ host: '127.0.0.1', port: Number(process.env.REDIS_PORT) })
const pool = mysql.createPool({ host: '127.0.0.1', port: Number(process.env.MYSQL_PORT), user: 'root', connectionLimit: 20 })
const worker = new Worker('const { parentPort } = require("node:worker_threads"); parentPort.on("message", id => parentPort.postMessage(id))', { eval: true })
worker.setMaxListeners(50)

async function echo (id) {
  worker.postMessage(id)
  await once(worker, 'message')
}

async function load (id) {
  const [items, [[user]]] = await Promise.all([redis.pipeline().get('a').get('b').exec(), pool.query('SELECT 1 AS id')])
  await echo(id)
  await fs.promises.readFile(__filename)
  return { items, user }
}

module.exports = async function page (request, response) {
  const found = await limit(load, 1)
  await pipeline(Readable.from([JSON.stringify(found)]), response)
}
