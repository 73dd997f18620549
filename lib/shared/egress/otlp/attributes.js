'use strict'

// What we know of a process and of a sample, under OpenTelemetry's names. Pure.

/** @typedef {[name: string, value: string | number]} Attribute */

const OF_RESOURCE = Object.freeze({
  service: 'service.name',
  version: 'service.version',
  pid: 'process.pid',
  host: 'host.name',
  pod: 'k8s.pod.name',
  namespace: 'k8s.namespace.name'
})

// Not what the process is, but what this profile is.
const OF_PROFILE = Object.freeze({ unfinished_stall: 'loopscope.unfinished_stall' })

const OF_SAMPLE = Object.freeze({ pid: 'process.pid', thread: 'thread.name' })

/**
 * @param {Record<string, string>} labels
 * @returns {Attribute[]}
 */
function resourceAttributes (labels) {
  const own = Object.entries(labels).filter(([name, value]) => value !== '' && !(name in OF_PROFILE))
  return [...own.map(([name, value]) => toAttribute(OF_RESOURCE, name, value)), ['process.runtime.name', 'nodejs']]
}

/**
 * @param {Record<string, string>} labels
 * @returns {Attribute[]}
 */
function profileAttributes (labels) {
  return Object.entries(labels).filter(([name]) => name in OF_PROFILE).map(([name, value]) => toAttribute(OF_PROFILE, name, value))
}

/**
 * @param {string} name  of a label of pprof
 * @param {string | number} value
 * @returns {Attribute[]}
 */
function sampleAttributes (name, value) {
  if (name !== 'http_route') return [toAttribute(OF_SAMPLE, name, value)]
  const [, method, route] = /^(\S+) (.*)$/.exec(String(value)) ?? ['', '', String(value)]
  return method === '' ? [['http.route', route]] : [['http.request.method', method], ['http.route', route]]
}

/**
 * @param {Readonly<Record<string, string>>} names
 * @param {string} name
 * @param {string | number} value
 * @returns {Attribute}
 */
function toAttribute (names, name, value) {
  return [names[name] ?? name, name === 'pid' && /^\d+$/.test(String(value)) ? Number(value) : value]
}

module.exports = { profileAttributes, resourceAttributes, sampleAttributes }
