'use strict'

// Routes for this application's files in the store: list, download, delete, and compare heap snapshots. Files of other applications are listed only
// for their user. A name must be that of a listed file; no path is ever built from it.

const { outOfScope, policyOf, requesterOf } = require('../capture-requests')
const { anything, flag, oneOf } = require('../parameters')
const { createResponse, json } = require('../../../shared/admin/responses')
const { refuse } = require('../../../base/validate')
const { readRoute } = require('../router')

/** @import { Context, RouteRow } from '../router' */
/** @import { StoredArtifact } from '../../store/artifact-files' */

/** By extension; the page and `go tool pprof` use the name, browsers use this. */
const CONTENT_TYPES = new Map([
  ['cpuprofile', 'application/json; charset=utf-8'],
  ['heapprofile', 'application/json; charset=utf-8'],
  ['heapsnapshot', 'application/json; charset=utf-8'],
  ['json', 'application/json; charset=utf-8'],
  ['txt', 'text/plain; charset=utf-8']
])

// A token is for one application; a client of the control socket can read the files anyway.
const OWN_ONLY = Object.freeze({
  status: 403,
  detail: 'Artifacts of other applications are listed at the control socket only.',
  remedy: 'Use `loopscope artifacts <pid> --all` as the same user.'
})

/** Always a download: if opened here, the page would run with this server's origin. */
const COMPARISON_FORMATS = Object.freeze({
  json: { 'Content-Type': 'application/json; charset=utf-8' },
  text: { 'Content-Type': 'text/plain; charset=utf-8' },
  html: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Disposition': 'attachment; filename="heap-comparison.html"' }
})

const OF_SEVERAL_PROCESSES = Object.freeze({
  status: 409,
  detail: 'The snapshots are not of one process, so their objects cannot be told from each other.',
  remedy: 'Choose two with the same process in /artifacts, or download them for the totals of `loopscope diff`.'
})

/** @type {RouteRow[]} */
const routes = [
  readRoute('/artifacts', 'the files that captures wrote', { scope: 'profile', cost: 'nothing', parameters: { all: flag() }, handle: list }),
  {
    name: 'artifact',
    path: '/artifacts/:name',
    methods: {
      GET: { scope: 'profile', cost: 'nothing', handle: download },
      DELETE: { scope: 'manage', cost: 'nothing', handle: remove }
    }
  },
  {
    name: 'artifact-metadata',
    path: '/artifacts/:name/metadata',
    methods: { GET: { scope: 'profile', cost: 'nothing', handle: metadata } }
  },
  {
    name: 'heap-comparison',
    path: '/heap/comparison',
    title: 'two heap snapshots compared: ?before=&after=',
    methods: {
      GET: {
        scope: policyOf('heap-snapshot').scope,
        cost: 'nothing', // runs in a separate thread
        parameters: { before: anything, between: anything, after: anything, format: oneOf(Object.keys(COMPARISON_FORMATS)) },
        handle: compare
      }
    }
  }
]

/** @param {Context} context */
function list ({ request: { base, endpoint }, parameters: { all = false }, sources: { store } }) {
  if (all) return endpoint === 'control' ? json(200, { applications: store.listAll() }) : OWN_ONLY
  const artifacts = store.list().map(artifact => {
    const { name, bytes, at, kind } = artifact
    return { name, kind, bytes, at, process: processOf(store, artifact), marks: store.metadata(name)?.marks ?? [], _links: { self: { href: `${base}/artifacts/${name}` } } }
  })
  return json(200, { artifacts })
}

/** @param {Context} context */
async function download ({ params: { name }, request: { headers }, sources, can }) {
  const artifact = sources.store.list().find(one => one.name === name)
  if (artifact === undefined) return unknownArtifact(name)
  const { scope } = policyOf(artifact.kind)
  if (!await can(scope)) return outOfScope(artifact.kind, scope)
  return part(artifact, headers)
}

/** @param {StoredArtifact} artifact @param {Context['request']['headers']} headers */
function part ({ name, path, bytes, at }, headers) {
  const etag = `"${name}-${bytes}"` // names are unique, and files never change
  const facts = { ETag: etag, 'Accept-Ranges': 'bytes', 'Last-Modified': new Date(at).toUTCString() }
  if (headers['if-none-match'] === etag) return createResponse(304, null, facts)
  const range = rangeOf(headers.range, headers['if-range'], etag, bytes)
  if (range === 'unsatisfiable') {
    const whole = { 'Content-Range': `bytes */${bytes}` }
    return { status: 416, detail: `The file has ${bytes} bytes.`, remedy: 'Ask for a part of it.', headers: whole }
  }
  // Everything is a download, whatever its type: a page opened here would run with this server's origin.
  const type = {
    'Content-Type': CONTENT_TYPES.get(name.slice(name.lastIndexOf('.') + 1)) ?? 'application/octet-stream',
    'Content-Disposition': `attachment; filename="${name}"`
  }
  if (range === 'whole') return createResponse(200, { file: path, start: 0, end: bytes - 1 }, { ...facts, ...type })
  return createResponse(206, { file: path, ...range }, { ...facts, ...type, 'Content-Range': `bytes ${range.start}-${range.end}/${bytes}` })
}

/**
 * The requested part of a file (RFC 9110, one range of bytes).
 * @param {unknown} range    the header
 * @param {unknown} ifRange  an ETag: a file other than the one that the client began with is sent whole
 * @param {string} etag
 * @param {number} bytes
 * @returns {{ start: number, end: number } | 'whole' | 'unsatisfiable'}
 */
function rangeOf (range, ifRange, etag, bytes) {
  if (typeof range !== 'string' || (ifRange !== undefined && ifRange !== etag)) return 'whole'
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range.replaceAll(' ', '')) ?? []
  // Several ranges, and invalid ones, may be ignored.
  if (first === undefined || (first === '' && last === '')) return 'whole'
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)
  if (start >= bytes || (first === '' && Number(last) === 0)) return 'unsatisfiable'
  return start > end ? 'whole' : { start, end }
}

/** @param {Context} context */
function metadata ({ params: { name }, sources }) {
  const facts = sources.store.metadata(name)
  if (facts === null) {
    return { status: 404, detail: `There are no facts beside ${name}.`, remedy: 'Only heap snapshots have some; see /artifacts.' }
  }
  return json(200, facts)
}

/** @param {Context} context */
function remove ({ params: { name }, sources, request }) {
  if (!sources.store.remove(name)) return unknownArtifact(name)
  const { actor } = requesterOf(request)
  sources.log.info({ audit: { deleted: name, actor } }, `audit: ${name} deleted for ${actor}`)
  return createResponse(204, null)
}

/** @param {string} name */
function unknownArtifact (name) {
  return { status: 404, detail: `There is no artifact ${name}.`, remedy: 'GET /artifacts, or `loopscope artifacts <pid>`, lists them.' }
}

/** What grew between two heap snapshots, and what retains it. @param {Context} context */
async function compare ({ parameters: { before, between, after, format = 'json' }, sources, signal }) {
  if (before === undefined || after === undefined) {
    refuse('parameters before and after', 'names of heap snapshots, see /artifacts', { before, after })
  }
  const names = [before, ...(between === undefined ? [] : [between]), after]
  const snapshots = sources.store.list().filter(({ kind }) => kind === 'heap-snapshot')
  const found = names.map(name => snapshots.find(snapshot => snapshot.name === name))
  const missing = names[found.indexOf(undefined)]
  if (missing !== undefined) return { status: 404, detail: `There is no heap snapshot ${missing}.`, remedy: 'GET /artifacts, or `loopscope artifacts <pid>`, lists them.' }
  const chosen = found.flatMap(snapshot => snapshot ?? [])
  if (!isOneProcess(chosen.map(snapshot => processOf(sources.store, snapshot)))) return OF_SEVERAL_PROCESSES
  const files = chosen.map(snapshot => snapshot.path)
  const report = await sources.compareSnapshots({ files, format }, signal)
  return createResponse(200, report, COMPARISON_FORMATS[/** @type {keyof typeof COMPARISON_FORMATS} */ (format)])
}

/**
 * The process of a heap snapshot, from the facts beside it: object ids are comparable only within one process.
 * @typedef {{ pid: number, startedAt: number }} SnapshotProcess
 *
 * @param {{ metadata (name: string): Record<string, any> | null }} store
 * @param {{ name: string, kind: string }} artifact
 * @returns {SnapshotProcess | null} null if unknown, and for other files than snapshots
 */
function processOf (store, { name, kind }) {
  const { pid, startedAt } = (kind === 'heap-snapshot' ? store.metadata(name) : null) ?? {}
  return typeof pid === 'number' && typeof startedAt === 'number' ? { pid, startedAt } : null
}

/** @param {(SnapshotProcess | null)[]} processes */
function isOneProcess ([first, ...others]) {
  return first !== null && others.every(one => one?.pid === first.pid && one.startedAt === first.startedAt)
}

module.exports = { routes }
