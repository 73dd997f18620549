'use strict'

// Resolves the options: values in code override the environment, which overrides the default. Unknown ones throw.

const { assertKnownKeys, assertPlainObject, refuse, unknownOption } = require('../../base/validate')
const { isLocal, parseAddress } = require('./admin-settings')
const { applicationVariables, environmentFacts } = require('./environment-facts')
const { OPTIONS, variableOf } = require('./options')

/** @import { DiagnosticsOptions, EngineName, RetentionOptions, SignalMap, SyncCallOptions } from '../../../types/diagnostics' */
/** @import { Registry } from 'prom-client' */
/** @import { Rule } from './check-rules' */
/** @import { EnvironmentFacts } from './environment-facts' */
/** @import { OptionRow } from './options' */

/**
 * @typedef {'appName' | 'group' | 'token' | 'tokenFile' | 'authorize' | 'observerFile' | 'logger'} WithoutDefault
 *
 * @typedef {object} Completed  with all their members, or in another form than they may be passed
 * @property {{ hz: number, windowSeconds: number, keepSeconds: number, engine: EngineName } | false} recorder
 * @property {Required<SyncCallOptions> | false} syncCalls
 * @property {Required<RetentionOptions>} retention
 * @property {{ engine: 'built-in' | 'heapdump', maxPauseMs: number }} heap
 * @property {{ listen: boolean | number | string, hosts: readonly string[] }} admin
 * @property {SignalMap} signals
 * @property {readonly Rule[]} rules
 * @property {Registry | undefined} registry
 *
 * Every option, checked; the caller's objects are not changed.
 * @typedef {Pick<DiagnosticsOptions, WithoutDefault> & Required<Omit<DiagnosticsOptions, WithoutDefault | keyof Completed>> & Completed} CheckedOptions
 * @typedef {CheckedOptions & EnvironmentFacts} ResolvedOptions
 */

// Groups of options; a switchable one can also be false (off) or true (all defaults).
const SWITCHABLE = ['recorder', 'syncCalls']
const GROUPS = [...SWITCHABLE, 'retention', 'heap', 'admin']

/**
 * @param {DiagnosticsOptions} [options]
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {ResolvedOptions}
 * @throws ERR_LOOPSCOPE_INVALID_OPTION, ERR_LOOPSCOPE_UNKNOWN_OPTION
 */
// eslint-disable-next-line no-restricted-properties -- the one place that reads the environment
function resolveOptions (options = {}, env = process.env) {
  assertPlainObject('options', options)
  assertKnown(options)
  const variables = applicationVariables(env)
  assertKnownVariables(variables)
  /** @type {any} */
  const resolved = { recorder: {}, syncCalls: {}, retention: {}, heap: {}, admin: {}, ...environmentFacts(variables) }
  for (const row of OPTIONS) {
    const value = valueOf(row, options, variables)
    if (SWITCHABLE.includes(row.path)) resolved[row.path] = value === false ? false : {}
    else if (resolved[row.path.split('.')[0]] !== false) setAt(resolved, row.path, value)
  }
  if (resolved.signals === false) resolved.signals = {}
  assertOrder(resolved)
  assertPushable(resolved)
  assertProtected(resolved)
  return resolved
}

/** @param {OptionRow} row @param {any} options @param {NodeJS.ProcessEnv} env */
function valueOf (row, options, env) {
  const { complete = value => value } = row
  const passed = getAt(options, row.path)
  if (passed !== undefined) return checked(row, `options.${row.path}`, complete(passed, env))
  const variable = variableOf(row)
  const written = variable === null ? undefined : env[variable]
  if (variable === null || row.fromText === null || written === undefined || written === '') return complete(row.defaultValue, env)
  return checked(row, variable, complete(row.fromText(written), env))
}

/**
 * @param {OptionRow} row
 * @param {string} name  name in the error
 * @param {unknown} value
 */
function checked (row, name, value) {
  const completed = row.check(name, value)
  return row.isCompleted ? completed : value
}

/** @param {any} options */
function assertKnown (options) {
  assertKnownKeys('options', options, [...new Set(OPTIONS.map(({ path }) => path.split('.')[0]))])
  for (const group of GROUPS) {
    const value = options[group]
    if (value === undefined || (SWITCHABLE.includes(group) && typeof value === 'boolean')) continue
    assertPlainObject(`options.${group}`, value)
    const paths = OPTIONS.map(({ path }) => path).filter(path => path.startsWith(`${group}.`))
    assertKnownKeys(`options.${group}`, value, paths.map(path => path.split('.')[1]))
  }
}

/** A misspelt variable would otherwise be silently ignored. @param {NodeJS.ProcessEnv} env */
function assertKnownVariables (env) {
  const known = OPTIONS.map(variableOf).filter(name => name !== null)
  for (const name of Object.keys(env)) {
    if (!name.startsWith('LOOPSCOPE_') || known.includes(name)) continue
    throw unknownOption(`the variable ${name}`, name, known, 'LOOPSCOPE_')
  }
}

/** @param {ResolvedOptions} resolved */
function assertOrder ({ heartbeatMs, stallThresholdMs, recorder, rules }) {
  if (heartbeatMs > stallThresholdMs) refuse('options.heartbeatMs', `at most options.stallThresholdMs (${stallThresholdMs})`, heartbeatMs)
  if (recorder && recorder.windowSeconds > recorder.keepSeconds) {
    refuse('options.recorder.windowSeconds', `at most options.recorder.keepSeconds (${recorder.keepSeconds})`, recorder.windowSeconds)
  }
  const tooShort = rules.findIndex(({ when: { stallMs = Infinity } }) => stallMs < stallThresholdMs)
  if (tooShort !== -1) refuse(`options.rules[${tooShort}].when.stallMs`, `at least options.stallThresholdMs (${stallThresholdMs})`, rules[tooShort].when.stallMs)
}

/** @param {ResolvedOptions} resolved */
function assertPushable ({ egress, rules }) {
  if (Array.isArray(egress) ? egress.length > 0 : egress !== false) return
  const pushing = rules.findIndex(rule => rule.do.some(action => 'push' in action))
  if (pushing !== -1) refuse(`options.rules[${pushing}].do`, 'without push, since option egress has no destination', '{ push: true }')
}

/** A random token in a log does not protect a port that other hosts can reach. @param {ResolvedOptions} resolved */
function assertProtected ({ admin, token, tokenFile, authorize }) {
  const address = parseAddress('options.admin.listen', admin.listen)
  if (address === null || isLocal(address) || token !== undefined || tokenFile !== undefined || authorize !== undefined) return
  const wanted = 'an address of this host only (127.0.0.1, ::1, a Unix socket), unless option token, tokenFile or authorize is set'
  refuse('options.admin.listen', wanted, admin.listen)
}

/** @param {any} object @param {string} path */
function getAt (object, path) {
  const [group, name] = path.split('.')
  return name === undefined ? object[group] : object[group]?.[name]
}

/** @param {any} object @param {string} path @param {unknown} value */
function setAt (object, path, value) {
  const [group, name] = path.split('.')
  if (name === undefined) object[group] = value
  else object[group][name] = value
}

module.exports = { resolveOptions }
