'use strict'

const TAGS = Array.from({ length: 100_000 }, (_, id) => ({ id, name: `tag ${id}`, uses: id % 99, related: [`tag ${id + 1}`, `tag ${id + 2}`, 'all'] }))

function listTags (limit) {
  const list = []
  while (list.length < limit) list.push(TAGS[list.length % TAGS.length])
  return list
}

async function showTag (c) {
  await new Promise(resolve => setTimeout(resolve, 1))
  return c.json({ name: c.req.param('name'), weight: weigh(Number(c.req.query('terms') ?? 0)) })
}

function weigh (terms) {
  let weight = 0
  for (let term = 1; term <= terms; term++) {
    weight += Math.atan2(term, weight + 1) // truth: Hono handler after await
  }
  return weight
}

async function countVisits (c, next) {
  const visits = Number(c.req.query('visits') ?? 0)
  const perDay = []
  for (let visit = 0; visit < visits; visit++) {
    perDay[visit % 366] = Math.cbrt(visit) + (perDay[visit % 366] ?? 0) // truth: Hono middleware
  }
  await next()
}

module.exports = { listTags, showTag, countVisits }
