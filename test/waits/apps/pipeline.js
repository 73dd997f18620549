'use strict'

// Twenty keys in one pipeline, from a slow Redis.

const Redis = require('ioredis').default

const redis = new Redis({ host: '127.0.0.1', port: Number(process.env.REDIS_PORT) })

async function loadCart () {
  const pipeline = redis.pipeline()
  for (let key = 0; key < 20; key++) pipeline.get(`item:${key}`)
  return pipeline.exec()
}

module.exports = async function cart (request, response) {
  const items = await loadCart() // the wait
  response.end(String(items.length))
}
