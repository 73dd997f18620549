'use strict'

const { pbkdf2Sync } = require('node:crypto')

async function hooks (app) {
  app.addHook('preHandler', checkSignature)
  app.post('/:source', async (request, reply) => reply.code(204).send())
}

async function checkSignature (request, reply) {
  const { secret, rounds } = request.body
  const key = pbkdf2Sync(secret, request.params.source, rounds, 64, 'sha512') // truth: Fastify hook
  if (key.length === 0) reply.code(401).send()
}

module.exports = hooks
