'use strict'

// Files of this application in the store: listed, downloaded, deleted; those of others are listed for their user only. A name must
// be that of a listed file; no path is ever made from it.

const { createResponse, json } = require('../../../shared/admin/responses')
const { policyOf } = require('../capture-policy')
const { flag } = require('../parameters')
const { rangeOf } = require('../range')
const { processOf } = require('../snapshot-process')

/** @import { StoredArtifact } from '../../store/artifact-files' */
/** @import { Context, RouteRow } from '../router' */

/** By ending; the page and `go tool pprof` go by the name, browsers by this. */
const CONTENT_TYPES = new Map([
  ['cpuprofile', 'application/json; charset=utf-8'],
  ['heapprofile', 'application/json; charset=utf-8'],
  ['heapsnapshot', 'application/json; charset=utf-8'],
  ['json', 'application/json; charset=utf-8'],
  ['txt', 'text/plain; charset=utf-8']
])

// A token is one application's; who reaches the control socket can read the files anyhow.
const OWN_ONLY = Object.freeze({
  status: 403,
  detail: 'Artifacts of other applications are listed at the control socket only.',
  remedy: 'Use `loopscope artifacts <pid> --all` as the same user.'
})

/** @type {RouteRow[]} */
const routes = [
  {
    name: 'artifacts',
    path: '/artifacts',
    title: 'the files that captures wrote',
    methods: { GET: { scope: 'profile', cost: 'nothing', parameters: { all: flag() }, handle: list } }
  },
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
  }
]

/** @param {Context} context */
function list ({ request: { base, door }, parameters: { all = false }, sources: { store } }) {
  if (all) return door === 'control' ? json(200, { applications: store.listAll() }) : OWN_ONLY
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
  if (!await can(scope)) {
    return { status: 403, detail: `A ${artifact.kind} needs the scope ${scope}.`, remedy: `Use a token with the scope ${scope}.` }
  }
  return part(artifact, headers)
}

/**
 * @param {StoredArtifact} artifact
 * @param {Context['request']['headers']} headers
 */
function part ({ name, path, bytes, at }, headers) {
  const etag = `"${name}-${bytes}"` // names are unique, and files never change
  const facts = { ETag: etag, 'Accept-Ranges': 'bytes', 'Last-Modified': new Date(at).toUTCString() }
  if (headers['if-none-match'] === etag) return createResponse(304, null, facts)
  const range = rangeOf(headers.range, headers['if-range'], etag, bytes)
  if (range === 'unsatisfiable') {
    const whole = { 'Content-Range': `bytes */${bytes}` }
    return { status: 416, detail: `The file has ${bytes} bytes.`, remedy: 'Ask for a part of it.', headers: whole }
  }
  // Everything is a download, whatever it holds: a page of ours opened here would run with our origin.
  const type = {
    'Content-Type': CONTENT_TYPES.get(name.slice(name.lastIndexOf('.') + 1)) ?? 'application/octet-stream',
    'Content-Disposition': `attachment; filename="${name}"`
  }
  if (range === 'whole') return createResponse(200, { file: path, start: 0, end: bytes - 1 }, { ...facts, ...type })
  return createResponse(206, { file: path, ...range }, { ...facts, ...type, 'Content-Range': `bytes ${range.start}-${range.end}/${bytes}` })
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
  const actor = `${request.door} ${request.peer ?? 'this host'}`
  sources.log.info({ audit: { deleted: name, actor } }, `audit: ${name} deleted for ${actor}`)
  return createResponse(204, null)
}

/** @param {string} name */
function unknownArtifact (name) {
  return { status: 404, detail: `There is no artifact ${name}.`, remedy: 'See /artifacts.' }
}

module.exports = { routes }
