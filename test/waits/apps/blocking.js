'use strict'

// A consumer waits for jobs on the connection that requests use as well.

const Redis = require('ioredis')

const redis = new Redis(Number(process.env.QUICK_REDIS_PORT), '127.0.0.1')

async function consume () {
  for (;;) await redis.blpop('jobs', 1)
}

consume().catch(() => {}) // at the end of the test

module.exports = async function profile (request, response) {
  const name = await redis.get('name')
  response.end(JSON.stringify({ name }))
}
