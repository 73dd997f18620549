'use strict'

const { serve } = require('@hono/node-server')
const { Hono } = require('hono')
const tags = require('./tags')

const app = new Hono()

app.use('/tags/*', tags.countVisits)
app.get('/tags/:name', tags.showTag)
app.get('/tags', c => {
  const list = tags.listTags(Number(c.req.query('limit')))
  return c.json(list) // truth: Hono c.json
})
app.post('/tags', async c => {
  const { rows } = await c.req.json()
  return c.json({ rows: rows.length }, 201)
})

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000), hostname: '127.0.0.1' }, ({ port }) => {
  console.log(JSON.stringify({ msg: 'listening', port }))
})
