'use strict'

// Heap snapshots of the store, compared: what grew between them, and who keeps it.

const { createResponse } = require('../../../shared/admin/responses')
const { policyOf } = require('../capture-policy')
const { anything, oneOf } = require('../parameters')
const { isOneProcess, processOf } = require('../snapshot-process')
const { refuse } = require('../../../shared/base/validate')

/** @import { Context, RouteRow } from '../router' */

/** Always a download: opened here the page would run with our origin. */
const FORMATS = Object.freeze({
  json: { 'Content-Type': 'application/json; charset=utf-8' },
  text: { 'Content-Type': 'text/plain; charset=utf-8' },
  html: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Disposition': 'attachment; filename="heap-comparison.html"' }
})

const OF_SEVERAL = Object.freeze({
  status: 409,
  detail: 'The snapshots are not of one process, so their objects cannot be told from each other.',
  remedy: 'Choose two with the same process in /artifacts, or download them for the totals of `loopscope diff`.'
})

/** @type {RouteRow[]} */
const routes = [
  {
    name: 'heap-comparison',
    path: '/heap/comparison',
    title: 'two heap snapshots compared: ?before=&after=',
    methods: {
      GET: {
        scope: policyOf('heap-snapshot').scope,
        cost: 'nothing', // a thread of its own does it
        parameters: { before: anything, between: anything, after: anything, format: oneOf(Object.keys(FORMATS)) },
        handle: compare
      }
    }
  }
]

/** @param {Context} context */
async function compare ({ parameters: { before, between, after, format = 'json' }, sources, signal }) {
  if (before === undefined || after === undefined) {
    refuse('parameters before and after', 'names of heap snapshots, see /artifacts', { before, after })
  }
  const names = [before, ...(between === undefined ? [] : [between]), after]
  const snapshots = sources.store.list().filter(({ kind }) => kind === 'heap-snapshot')
  const found = names.map(name => snapshots.find(snapshot => snapshot.name === name))
  const missing = names[found.indexOf(undefined)]
  if (missing !== undefined) return { status: 404, detail: `There is no heap snapshot ${missing}.`, remedy: 'See /artifacts.' }
  const chosen = found.flatMap(snapshot => snapshot ?? [])
  if (!isOneProcess(chosen.map(snapshot => processOf(sources.store, snapshot)))) return OF_SEVERAL
  const files = chosen.map(snapshot => snapshot.path)
  const report = await sources.compareSnapshots({ files, format }, signal)
  return createResponse(200, report, FORMATS[/** @type {keyof typeof FORMATS} */ (format)])
}

module.exports = { routes }
