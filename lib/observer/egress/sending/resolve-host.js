'use strict'

// The address of a host, without the system's resolver where that can be done: it works in the thread pool that is the application's, and
// a thread cannot end while a question of its own is under way there, so that a name server that is down would hold up the end of the
// process. What the name server does not know may still be known to the system.

const dns = require('node:dns')
const { guarded } = require('../../../shared/base/guard')
const { readRegularText } = require('../../../shared/base/regular-file')

/** @typedef {(error: NodeJS.ErrnoException | null, address: any, family?: number) => void} Callback */

const QUESTION = Object.freeze({ timeout: 2000, tries: 2 })
const NOT_KNOWN = ['ENOTFOUND', 'ENODATA']

/**
 * As the option `lookup` of a connection.
 * @param {string} host
 * @param {import('node:dns').LookupOptions} options
 * @param {Callback} callback
 */
function resolveHost (host, options, callback) {
  const answer = (/** @type {{ address: string, family: number }[]} */ addresses) => {
    if (addresses.length === 0) return dns.lookup(host, options, callback)
    if (options.all) return callback(null, addresses)
    callback(null, addresses[0].address, addresses[0].family)
  }
  resolve(host).then(guarded(answer), error => callback(error, []))
}

/**
 * @param {string} host
 * @returns {Promise<{ address: string, family: number }[]>} none: nobody knows it who was asked
 */
async function resolve (host) {
  const known = read('/etc/hosts').filter(([, ...names]) => names.includes(host))
  if (known.length > 0) return known.map(([address]) => ({ address, family: address.includes(':') ? 6 : 4 }))
  const settings = read('/etc/resolv.conf')
  if (!settings.some(([word]) => word === 'nameserver')) return []
  const resolver = new dns.promises.Resolver(QUESTION)
  const suffixes = settings.findLast(([word]) => word === 'search' || word === 'domain')?.slice(1) ?? []
  for (const name of [host, ...suffixes.map(suffix => `${host}.${suffix}`)]) {
    const addresses = await ask(resolver, name)
    if (addresses.length > 0) return addresses
  }
  return []
}

/**
 * @param {import('node:dns').promises.Resolver} resolver
 * @param {string} name
 */
async function ask (resolver, name) {
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const found = [
    ...four.status === 'fulfilled' ? four.value.map(address => ({ address, family: 4 })) : [],
    ...six.status === 'fulfilled' ? six.value.map(address => ({ address, family: 6 })) : []
  ]
  if (found.length === 0 && four.status === 'rejected' && !NOT_KNOWN.includes(four.reason.code)) throw four.reason
  return found
}

/**
 * @param {string} file
 * @returns {string[][]} the words of its lines; none where there is no such file, as on Windows
 */
function read (file) {
  try {
    return readRegularText(file).split('\n').map(line => line.replace(/#.*/, '').trim().split(/\s+/))
  } catch {
    return []
  }
}

module.exports = { resolveHost }
