'use strict'

// The difference that a mark made: the CPU profile after it against the one before it, of a process that runs.

const { tellDifference } = require('./cpu')
const { reach } = require('../reach/reach')
const { timeAround } = require('../../shared/marks/time-around')

/** @import { Invocation } from '../commands' */

/** @param {Invocation} invocation */
async function run (invocation) {
  const { values } = invocation
  const client = reach(invocation)
  const { facts } = await client.json('/')
  const known = await client.json('/marks')
  const { mark, fromMs, toMs } = timeAround(known, values.mark)
  const before = await client.json(`/cpu?${queryOf(fromMs, mark.at, values)}`)
  const after = await client.json(`/cpu?${queryOf(mark.at, toMs, values)}`)
  const titles = { before: `before ${mark.text}`, after: `after ${mark.text}` }
  return tellDifference(before, after, { appRoot: values.root ?? facts.appRoot, titles, notes: [] }, invocation)
}

/**
 * @param {number} from
 * @param {number} to
 * @param {Record<string, any>} values
 */
function queryOf (from, to, { sources = 'original', route }) {
  return new URLSearchParams({ from: String(from), to: String(to), format: 'cpuprofile', sources, ...(route !== undefined && { route }) })
}

module.exports = { options: ['root', 'route', 'sources'], run }
