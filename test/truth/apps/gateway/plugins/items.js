'use strict'

const ITEMS = Array.from({ length: 200_000 }, (_, id) => ({ id, name: `item ${id}`, parts: [id, id + 1], price: { net: id * 1.1 } }))

const LIST = { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } } } }

function pageOf (limit) {
  const page = []
  while (page.length < Number(limit)) page.push(ITEMS[page.length % ITEMS.length])
  return page
}

async function items (app) {
  app.get('/', async request => pageOf(request.query.limit))

  app.get('/names', { schema: { response: { 200: LIST } } }, (request, reply) => {
    const page = pageOf(request.query.limit)
    reply.send(page) // truth: Fastify reply with a schema
  })

  app.get('/:id/copy', async function copyItems (request) {
    const wanted = ITEMS.slice(0, Number(request.query.limit))
    const copy = structuredClone(wanted) // truth: Fastify plugin with a prefix
    return { id: request.params.id, copied: copy.length }
  })

  app.post('/', async request => ({ accepted: request.body.rows.length }))
}

module.exports = items
