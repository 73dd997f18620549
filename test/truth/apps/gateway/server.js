'use strict'

const createFastify = require('fastify')
const diagnostics = require('loopscope')

async function start () {
  const d = diagnostics()
  const app = createFastify({ bodyLimit: 320e6 })
  await app.register(d.fastify)
  await app.register(require('./plugins/search'))
  await app.register(require('./plugins/items'), { prefix: '/v2/items' })
  await app.register(require('./plugins/hooks'), { prefix: '/hooks' })
  await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })
  console.log(JSON.stringify({ msg: 'listening', port: app.server.address().port }))
}

start()
