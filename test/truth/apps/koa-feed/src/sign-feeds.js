'use strict'

const { pbkdf2Sync } = require('node:crypto')

async function signFeeds (ctx, next) {
  await next()
  if (!ctx.path.startsWith('/signed/')) return
  const signature = pbkdf2Sync('a secret', ctx.body.name, ctx.body.rounds, 64, 'sha512') // truth: Koa middleware after next
  ctx.set('X-Signature', signature.toString('base64'))
}

module.exports = { signFeeds }
