'use strict'

// The admin surface as a function from request to response, the same for every endpoint. It runs in the observer thread, so that it answers while the
// main loop is blocked. Everything that it reads or acts on is passed in.

const { createAccess } = require('./access')
const { readParameters } = require('./parameters')
const { problemResponse, toProblem, createResponse, lengthOf } = require('../../shared/admin/responses')
const { SCOPES } = require('../../shared/admin/tokens')

/** @import { Grant, Refusal } from './access' */
/** @import { Cost } from './routes' */
/** @import { ParameterChecks } from './parameters' */
/** @import { Problem, AdminResponse } from '../../shared/admin/responses' */
/** @import { Scope } from '../../shared/admin/tokens' */
/** @import { AdminSettings } from '../../api/options/admin-settings' */

/** @typedef {ReturnType<typeof import('./admin-sources').createAdminSources>} Sources */

/**
 * @typedef {object} AdminRequest  plain data: it may have crossed threads
 * @property {'mount' | 'listener' | 'control'} endpoint
 * @property {string} method
 * @property {string} base     the prefix removed by the endpoint, without a slash at its end; links begin with it
 * @property {string} path     the rest of the target up to `?`, as it was sent
 * @property {string} query    after `?`
 * @property {Record<string, string | string[] | undefined>} headers
 * @property {string | null} peer  remote address of the connection; null on a Unix socket
 * @property {boolean} isEncrypted
 * @property {Uint8Array | null} body
 * @property {number} [reference]  id of a request object on the main thread
 *
 * @typedef {Omit<AdminSettings, 'basePath' | 'listen'> & { id: number }} Application  the admin settings of one application, plain data
 *
 * @typedef {object} Context  of one request, for its route
 * @property {AdminRequest} request
 * @property {Record<string, any>} parameters  checked
 * @property {Record<string, string>} params   from the path
 * @property {Sources} sources
 * @property {AbortSignal} signal              aborted when the client disconnects
 * @property {Grant['can']} can
 *
 * @typedef {object} MethodRow
 * @property {Scope} scope
 * @property {Cost} cost  cost for the application's thread
 * @property {ParameterChecks} [parameters]
 * @property {(request: AdminRequest) => boolean} [isOpen]  if true, no token is needed: the page's shell
 * @property {(context: Context) => AdminResponse | Problem | Promise<AdminResponse | Problem>} handle
 *
 * @typedef {object} RouteRow
 * @property {string} name  label of the metric
 * @property {string} path
 * @property {string} [title]  description in the index; without it the route is not listed
 * @property {boolean} [isPprof]  errors are lines of text, which `go tool pprof` prints
 * @property {Readonly<Record<string, MethodRow>>} methods
 */

/**
 * @typedef {Pick<Context, 'params' | 'request' | 'signal'> & { route: RouteRow, onAuthorized: () => void }} Call  one request before it is authorized;
 *   onAuthorized: called once it is
 */

/**
 * A route that can only be read, named after its path.
 * @param {string} path
 * @param {string} title
 * @param {MethodRow} method
 * @returns {RouteRow}
 */
function readRoute (path, title, method) {
  return { name: path.slice(1).replaceAll('/', '-'), path, title, methods: { GET: method } }
}

class Router {
  #sources
  #match
  #access

  /** @param {{ application: Application, sources: Sources, routes: readonly RouteRow[], now?: () => number }} parts */
  constructor ({ application, sources, routes, now }) {
    this.#sources = sources
    this.#match = createPathMatch(routes)
    this.#access = createAccess({ application, sources, now })
  }

  /**
   * A bound function: endpoints get it without the router.
   * @param {AdminRequest} request
   * @param {AbortSignal} signal  aborted when the client disconnects
   * @param {() => void} [onAuthorized]  called once the client is authorized
   * @returns {Promise<AdminResponse>}
   */
  handle = async (request, signal, onAuthorized = () => {}) => {
    const found = this.#access.isEnabled(request) ? this.#match(request.path) : null
    const response = found === null
      ? problemResponse({ status: 404, detail: 'There is no such route.', remedy: `See ${request.base || '/'} for those there are.` })
      : await this.#respond({ ...found, request, signal, onAuthorized })
    this.#sources.count({ name: 'request', endpoint: found?.route.name ?? 'unknown', code: response.status })
    return request.method === 'HEAD' ? withoutBody(response) : response
  }

  /** @param {Call} call */
  async #respond (call) {
    const { route, signal } = call
    try {
      const result = await this.#run(call)
      return 'detail' in result ? problemResponse(result, route) : result
    } catch (/** @type {any} */ error) {
      if (signal.aborted) return problemResponse(CLIENT_LEFT, route)
      const problem = toProblem(error)
      if (problem.status === 500) {
        this.#sources.log.warn({ err: { message: error?.message, stack: error?.stack } }, `admin: ${route.name} failed`)
      }
      return problemResponse(problem, route)
    }
  }

  /** @param {Call} call @returns {Promise<AdminResponse | Problem>} */
  async #run ({ route, params, request, signal, onAuthorized }) {
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const row = Object.hasOwn(route.methods, method) ? route.methods[method] : undefined
    const verdict = this.#access.checkOrigin(request) ?? (row?.isOpen?.(request) ? { grant: NOTHING } : this.#access.authenticate(request))
    if ('problem' in verdict) return this.#refuse(verdict)
    const { can } = verdict.grant
    const scope = row?.scope ?? leastScope(route)
    if (verdict.grant !== NOTHING) {
      if (!await can(scope)) return this.#refuse(outOfScope(scope))
      onAuthorized()
    }
    if (row === undefined) return wrongMethod(route)
    const parameters = readParameters(request.query, row.parameters ?? {})
    return row.handle({ request, parameters, params, sources: this.#sources, signal, can })
  }

  /** @param {Refusal} refusal */
  #refuse ({ reason, problem }) {
    this.#sources.count({ name: 'authFailure', reason })
    return problem
  }
}

// A parameter of a path.
const PARAMETER = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/

// No client reads it; it is only counted.
const CLIENT_LEFT = Object.freeze({ status: 409, detail: 'The client left before the answer was there.' })

/** Rights of a request that needs no token. @type {Grant} */
const NOTHING = Object.freeze({ can: async () => false })

/** @param {Scope} scope @returns {Refusal} */
function outOfScope (scope) {
  return {
    reason: 'scope',
    problem: { status: 403, detail: `This needs the scope ${scope}.`, remedy: `Use a token with the scope ${scope}.` }
  }
}

/** @param {RouteRow} route */
function leastScope ({ methods }) {
  const indexes = Object.values(methods).map(({ scope }) => SCOPES.indexOf(scope))
  return SCOPES[Math.min(...indexes)]
}

/** @param {RouteRow} route */
function wrongMethod ({ methods }) {
  const allowed = Object.keys(methods).flatMap(method => method === 'GET' ? ['GET', 'HEAD'] : [method])
  const names = allowed.join(', ')
  return { status: 405, detail: `This route knows ${names}.`, remedy: 'Use one of them.', headers: { Allow: names } }
}

/** @param {AdminResponse} response */
function withoutBody ({ status, headers, body }) {
  const length = lengthOf(body)
  return createResponse(status, null, { ...headers, ...(length !== null && { 'Content-Length': String(length) }) })
}

/**
 * Finds the route of a path: exactly one or none. Paths are not decoded, normalized or completed before the comparison.
 * @template {{ path: string }} Route
 * @param {readonly Route[]} routes
 * @returns {(path: string) => { route: Route, params: Record<string, string> } | null}
 */
function createPathMatch (routes) {
  const plain = new Map(routes.filter(({ path }) => !path.includes(':')).map(route => [route.path, route]))
  const patterns = routes.filter(({ path }) => path.includes(':')).map(route => ({ route, parts: route.path.split('/') }))

  return path => {
    const route = plain.get(path)
    if (route !== undefined) return { route, params: {} }
    const given = path.split('/')
    for (const { route: candidate, parts } of patterns) {
      const params = matchParts(parts, given)
      if (params !== null) return { route: candidate, params }
    }
    return null
  }
}

/** @param {string[]} parts @param {string[]} given @returns {Record<string, string> | null} */
function matchParts (parts, given) {
  if (parts.length !== given.length) return null
  /** @type {[string, string][]} */
  const params = []
  for (const [index, part] of parts.entries()) {
    if (!part.startsWith(':')) {
      if (part !== given[index]) return null
    } else if (PARAMETER.test(given[index])) {
      params.push([part.slice(1), given[index]])
    } else {
      return null
    }
  }
  return Object.fromEntries(params)
}

module.exports = { readRoute, Router }
