'use strict'

// Packages that keep what they are given without a limit of their own, by the names of their folders: what to call that, and the usual cure. Pure.

/**
 * @typedef {object} KeepingPackage
 * @property {string} holder  what it is called
 * @property {RegExp} file    of its code
 * @property {RegExp} [name]  of a function of its, where the package has others as well
 * @property {boolean} isCaller  it keeps what a function of the application returns to it; else what it is called with
 * @property {RegExp} [wraps]  the code that gives it this function
 * @property {RegExp} [madeBy]  the code that makes what keeps
 * @property {string} cure
 */

/** @param {string} packages  a pattern */
const inPackage = packages => new RegExp(`[\\\\/]node_modules[\\\\/](?:${packages})[\\\\/]`)

/** @type {readonly KeepingPackage[]} */
const KEEPING_PACKAGES = Object.freeze([
  {
    holder: 'metric labels',
    file: inPackage('prom-client'),
    isCaller: false,
    cure: 'a metric gets a time series for each value of its labels: label by the template of the route, not by URLs, ids or users'
  },
  {
    holder: 'sessions in memory',
    file: /[\\/]node_modules[\\/](?:express-session[\\/]session[\\/]memory\.js|memorystore[\\/])/,
    isCaller: false,
    cure: 'sessions in memory are not removed: use a store that lets them expire, and create none for clients that need none (saveUninitialized: false)'
  },
  {
    holder: 'rate limits in memory',
    file: inPackage('express-rate-limit|rate-limiter-flexible'),
    isCaller: false,
    madeBy: /\brate_?limit(?:er)?\s*\(|\bnew\s+(?:[\w$]+\.)*RateLimiter\w*\s*\(/i,
    cure: 'a limiter keeps each key until its window is over: limit by the user or the address, not by tokens or URLs, shorten the window, or keep them in a store outside the process'
  },
  {
    holder: 'spans',
    file: inPackage('@opentelemetry[\\\\/]sdk-(?:trace|logs)[\\w-]*'),
    isCaller: false,
    madeBy: /\bnew\s+(?:[\w$]+\.)*InMemory\w+Exporter\s*\(/,
    cure: 'spans or log records are kept: an exporter in memory is for tests (use one that sends them, behind a BatchSpanProcessor), and a span that the application keeps stays with its attributes'
  },
  {
    holder: 'windows of jsdom',
    file: inPackage('jsdom'),
    isCaller: false,
    cure: 'a window of jsdom lives as long as its timers and requests: call window.close() when its work is done, and load no scripts that are not needed'
  },
  {
    holder: 'queued work',
    file: /[\\/]node_modules[\\/](?:(?:p-limit|p-queue|fastq|bottleneck|yocto-queue)[\\/]|async[\\/](?:.*[\\/])?\w*queue)/i,
    isCaller: false,
    cure: 'work comes faster than it is done, and waits with everything that it refers to: limit the length of the queue, and refuse or store what exceeds it'
  },
  {
    holder: 'compiled schemas',
    file: inPackage('ajv'),
    isCaller: false,
    cure: 'a validator is compiled again for each new schema object, and kept: compile each schema once, when the module is loaded'
  },
  {
    holder: 'memoized results',
    file: inPackage('lodash|lodash-es|underscore|lodash\\.memoize|[\\w-]*memoize[\\w-]*|moize|mem'),
    name: /memo|^(?:monadic|variadic)$/i,
    isCaller: true,
    wraps: /(?:\w*memo\w*|\bmoize\w*(?:\.\w+)*|\bmem)\s*\(/i,
    cure: 'a memoized function keeps the result of every argument: give it a limit, or memoize by what has few values'
  },
  {
    holder: 'rows of a DataLoader',
    file: inPackage('dataloader'),
    isCaller: true,
    wraps: /\bnew \w*Loader\s*\(/,
    cure: 'a DataLoader keeps every row it has loaded: create one for each request, or turn its cache off'
  },
  {
    holder: 'cached values',
    file: inPackage('lru-cache'),
    name: /fetch|memo/i,
    isCaller: true,
    wraps: /\bnew (?:[\w$]+\.)*\w*Cache\s*\(/,
    cure: 'a cache fetches values and drops none: check that its limit counts what they take (max, or maxSize with a sizeCalculation of bytes), and give them a time to live'
  }
])

const PACKAGE = /^(?:.*[\\/])?node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/s

/**
 * The innermost node_modules decides.
 * @param {string} file  a path of any system, or a URL
 * @returns {string | null} null: of no package
 */
function packageOfPath (file) {
  return PACKAGE.exec(file)?.[1] ?? null
}

module.exports = { KEEPING_PACKAGES, packageOfPath }
