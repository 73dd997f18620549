'use strict'

// Twenty keys in one pipeline, from a slow Redis. Its promise is made with it.

const Redis = require('ioredis').default

const redis = new Redis({ host: '127.0.0.1', port: Number(process.env.REDIS_PORT) })

async function loadCart () {
  const pipeline = redis.pipeline() // the wait
  for (let key = 0; key < 20; key++) pipeline.get(`item:${key}`)
  return pipeline.exec()
}

module.exports = async function cart (request, response) {
  const items = await loadCart()
  response.end(String(items.length))
}
