'use strict'

// Responses of the router as plain data, including errors with status and remedy; the part that received the request writes them. Every response
// forbids caching and embedding.

/**
 * @typedef {{ file: string, start: number, end: number }} FileBody  a part of a file, end inclusive
 * @typedef {{ chunks: AsyncIterable<string> }} StreamBody           ends when the client leaves
 * @typedef {null | string | Uint8Array | FileBody | StreamBody} AdminBody
 * @typedef {{ status: number, headers: Record<string, string>, body: AdminBody }} AdminResponse
 *
 * @typedef {object} Problem
 * @property {number} status
 * @property {string} detail   what was wanted and what came
 * @property {string} [remedy] what to do
 * @property {string} [code]
 * @property {Record<string, string>} [headers]
 */

// No CORS headers, ever: a page of another origin has no business here.
const HEADERS = Object.freeze({
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer'
})

const TITLES = new Map([
  [400, 'Bad parameters'],
  [401, 'Not authenticated'],
  [403, 'Forbidden'],
  [404, 'Not found'],
  [405, 'Method not allowed'],
  [409, 'Already in progress'],
  [413, 'Body too large'],
  [416, 'Range not satisfiable'],
  [429, 'Too many requests'],
  [500, 'Internal error'],
  [503, 'Not available now'],
  [507, 'No room']
])

/** Errors of the parts, by code. @type {Map<string, { status: number, remedy: string, retryAfterSeconds?: number }>} */
const BY_CODE = new Map(Object.entries({
  ERR_LOOPSCOPE_INVALID_OPTION: { status: 400, remedy: 'Correct the parameter.' },
  ERR_LOOPSCOPE_UNKNOWN_OPTION: { status: 400, remedy: 'Remove the parameter.' },
  ERR_LOOPSCOPE_UNKNOWN_KIND: { status: 400, remedy: 'Use one of the valid kinds.' },
  ERR_LOOPSCOPE_UNKNOWN_FORMAT: { status: 400, remedy: 'Use one of the valid formats.' },
  ERR_LOOPSCOPE_UNKNOWN_ROUTE: { status: 404, remedy: 'Use one of the routes of the profile, or request a longer time.' },
  ERR_LOOPSCOPE_EMPTY_VIEW: { status: 404, remedy: 'Request a time that the recorder still holds.' },
  ERR_LOOPSCOPE_RECORDER_OFF: {
    status: 503,
    remedy: 'Turn the recorder on (option recorder), or close the debugger that uses the profiler.'
  },
  ERR_LOOPSCOPE_NO_GROUP: { status: 503, remedy: 'Leave the option controlSocket on, and check the log for a warning about it.' },
  ERR_LOOPSCOPE_INSPECTOR_UNAVAILABLE: { status: 503, remedy: 'Start Node.js with the inspector.' },
  ERR_LOOPSCOPE_LOOP_BLOCKED: {
    status: 503,
    remedy: 'Stalls and CPU profiles of the last seconds are answered meanwhile; try again when the loop is free.',
    retryAfterSeconds: 5
  },
  ERR_LOOPSCOPE_OBSERVER_LOST: { status: 503, remedy: 'See the log of the application.', retryAfterSeconds: 5 },
  ERR_LOOPSCOPE_BUNDLED: { status: 503, remedy: 'Deploy loopscope beside the bundle.' },
  ERR_LOOPSCOPE_NOT_RUNNING: { status: 503, remedy: 'Start diagnostics again.' },
  ERR_LOOPSCOPE_CAPTURE_CANCELLED: { status: 409, remedy: 'Start it again.' },
  ERR_LOOPSCOPE_STORE_FULL: { status: 507, remedy: 'Delete artifacts, or free disk space.' },
  ERR_LOOPSCOPE_STORE_UNWRITABLE: { status: 507, remedy: 'Set the option dir to a directory that this process may write to.' },
  ERR_LOOPSCOPE_STORE_UNSAFE: { status: 507, remedy: 'Set the option dir to a directory that belongs to this user.' },
  ERR_LOOPSCOPE_SNAPSHOT_REFUSED: { status: 507, remedy: 'Take a cheaper capture, or send force: true.' },
  ERR_LOOPSCOPE_SNAPSHOT_COOLDOWN: { status: 429, remedy: 'Wait, or send force: true.', retryAfterSeconds: 60 },
  ERR_LOOPSCOPE_THREADS_BUSY: { status: 409, remedy: 'Wait for the recording in progress.', retryAfterSeconds: 10 },
  ERR_LOOPSCOPE_SNAPSHOT_BUSY: { status: 409, remedy: 'Wait for the one in progress.', retryAfterSeconds: 10 },
  ERR_LOOPSCOPE_COMPARISON_REFUSED: { status: 507, remedy: 'Download the snapshots, and compare them with `loopscope diff`.' },
  ERR_LOOPSCOPE_COMPARISON_BUSY: { status: 409, remedy: 'Wait for the one in progress.', retryAfterSeconds: 10 },
  ERR_LOOPSCOPE_INVALID_SNAPSHOT: { status: 409, remedy: 'Take another snapshot.' },
  ERR_LOOPSCOPE_ENGINE_MISSING: { status: 503, remedy: 'Install the package, or use the built-in engine.' }
}))

/** @param {number} status @param {AdminBody} body @param {Record<string, string>} [headers] @returns {AdminResponse} */
function createResponse (status, body, headers = {}) {
  return { status, headers: { ...HEADERS, ...headers }, body }
}

/** @param {number} status @param {unknown} value @param {Record<string, string>} [headers] */
function json (status, value, headers = {}) {
  return createResponse(status, JSON.stringify(value), { 'Content-Type': 'application/json; charset=utf-8', ...headers })
}

/** @param {number} status @param {string} body @param {Record<string, string>} [headers] */
function text (status, body, headers = {}) {
  return createResponse(status, body, { 'Content-Type': 'text/plain; charset=utf-8', ...headers })
}

/**
 * The length of a body that is there as a whole; a stream has none.
 * @param {AdminBody} body
 * @returns {number | null}
 */
function lengthOf (body) {
  if (body === null) return 0
  if (typeof body === 'string') return Buffer.byteLength(body)
  if (body instanceof Uint8Array) return body.length
  return 'file' in body ? body.end - body.start + 1 : null
}

/**
 * RFC 9457 on REST routes; on pprof routes one line of text, which `go tool pprof` shows only with the header X-Go-Pprof.
 * @param {Problem} problem
 * @param {{ isPprof?: boolean }} [form]
 * @returns {AdminResponse}
 */
function problemResponse ({ status, detail, remedy, code, headers = {} }, { isPprof = false } = {}) {
  if (isPprof) return text(status, [detail, remedy].filter(Boolean).join(' ') + '\n', { 'X-Go-Pprof': '1', ...headers })
  const title = TITLES.get(status) ?? 'Error'
  return json(status, { type: 'about:blank', title, status, detail, ...(code && { code }), ...(remedy && { remedy }) },
    { 'Content-Type': 'application/problem+json', ...headers })
}

/**
 * @param {any} error  of a part, or an internal one
 * @returns {Problem}
 */
function toProblem (error) {
  const known = BY_CODE.get(error?.code)
  // The message of an unexpected error may contain anything, and does not help clients.
  if (known === undefined) return { status: 500, detail: 'Internal error; see the log of the application.' }
  const { status, remedy, retryAfterSeconds } = known
  /** @type {Record<string, string>} */
  const headers = retryAfterSeconds ? { 'Retry-After': String(retryAfterSeconds) } : {}
  return { status, detail: error.message.endsWith('.') ? error.message : `${error.message}.`, remedy, code: error.code, headers }
}

module.exports = { createResponse, json, lengthOf, problemResponse, text, toProblem }
