'use strict'

// What is wrong with the process, worst first: as data, as text for a terminal, as Markdown for an issue.

const { json, text } = require('../../../shared/admin/responses')
const { toMarkdown, toText } = require('../../../shared/findings/show')
const { oneOf } = require('../parameters')

/** @import { Context, RouteRow } from '../router' */

/** @type {RouteRow[]} */
const routes = [{
  name: 'findings',
  path: '/findings',
  title: 'what is wrong, and what to change: ?format=text, markdown',
  methods: { GET: { scope: 'profile', cost: 'findings', parameters: { format: oneOf(['json', 'text', 'markdown']) }, handle: findings } }
}]

/** @param {Context} context */
async function findings ({ sources, parameters: { format = 'json' } }) {
  const answer = await sources.findings()
  if (format === 'text') return text(200, toText(answer))
  if (format === 'markdown') return text(200, toMarkdown(answer), { 'Content-Type': 'text/markdown; charset=utf-8' })
  return json(200, answer)
}

module.exports = { routes }
