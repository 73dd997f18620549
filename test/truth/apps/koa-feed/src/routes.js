'use strict'

const { Router } = require('@koa/router')
const { scoreEntries } = require('./scores')

const ENTRIES = Array.from({ length: 100_000 }, (_, id) => ({ id, title: `entry ${id}`, tags: ['news', 'shop'], words: id % 400, summary: `what is "new" in entry ${id}` }))

const router = new Router()

router.get('/feeds/:name', async ctx => {
  await null
  const entries = []
  while (entries.length < Number(ctx.query.limit)) entries.push(ENTRIES[entries.length % ENTRIES.length])
  ctx.body = entries
})

router.get('/feeds/:name/best', async ctx => {
  await new Promise(resolve => setTimeout(resolve, 1))
  ctx.body = { best: scoreEntries(Number(ctx.query.limit)) }
})

router.get('/signed/:name', ctx => {
  ctx.body = { name: ctx.params.name, rounds: Number(ctx.query.rounds) }
})

router.post('/feeds', ctx => {
  ctx.body = { entries: ctx.request.body.rows.length }
})

module.exports = { router }
