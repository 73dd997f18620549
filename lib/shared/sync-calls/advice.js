'use strict'

// Advice for synchronous calls, by API: why the call blocks, what to call instead, and the page in the documentation of Node.js.

const fs = require('node:fs')

/** @import { Advice } from '../../../types/diagnostics' */

const DOCS = 'https://nodejs.org/api/'

/**
 * @param {string} why
 * @param {string} instead
 * @param {string} link  below Node's documentation
 * @returns {Advice}
 */
function advice (why, instead, link) {
  return Object.freeze({ why, instead, link: DOCS + link })
}

const DERIVES = 'it is slow by design, 10 to 500 ms, and all other requests wait for it'
const SEARCHES = 'it tries random numbers until one is prime, which can take any time'
const ENTROPY = 'it generates and copies random bytes on the event loop'
const LOADS = 'it reads, compiles and runs the files of a module on the event loop'
const LARGE = 'the time grows with the input, and all of it is spent on the event loop'
const SIGNS = 'an RSA signature takes about 1 ms on the event loop, an elliptic-curve signature about 0.05 ms'
const SPAWNS = 'it starts a process, then waits until that process exits'
const READS_CLOCK = 'it reads the system clock: 20 to 40 ns at best, more than 1 us if the clock source of the system is not the CPU'
const CACHED = 'the cached clock: clock.now(), renewed every few milliseconds'

const FILE_ONCE = 'read the file once at start-up if it does not change; otherwise fs.promises.readFile, or fs.createReadStream for a large file'
const DESCRIPTOR = 'a FileHandle from fs.promises.open, whose methods return promises'

/** @type {Record<string, Advice>} */
const BY_API = {
  'fs.readFileSync': advice('it waits for the disk until the whole file is in memory', FILE_ONCE, 'fs.html#fspromisesreadfilepath-options'),
  'fs.existsSync': advice('it waits for the file system, and its result may already be outdated', 'open the file and handle ENOENT, or fs.promises.access', 'fs.html#fspromisesaccesspath-mode'),
  'fs.realpathSync': advice('it waits for one file system call for each part of the path', 'fs.promises.realpath, or resolve the path once at start-up', 'fs.html#fspromisesrealpathpath-options'),
  'fs.realpathSync.native': advice('it waits for the file system', 'fs.promises.realpath, or resolve the path once at start-up', 'fs.html#fspromisesrealpathpath-options'),
  'fs.appendFileSync': advice('it opens, writes and closes the file on each call', 'one fs.createWriteStream(path, { flags: "a" }) that is kept open', 'fs.html#fscreatewritestreampath-options'),
  'fs.writeSync': advice('it waits until the kernel has taken the bytes', 'fs.createWriteStream, or FileHandle.write', 'fs.html#fscreatewritestreampath-options'),
  'fs.fsyncSync': advice('it waits until the data is on the disk: milliseconds, sometimes seconds', 'FileHandle.sync', 'fs.html#filehandlesync'),
  'fs.fdatasyncSync': advice('it waits until the data is on the disk: milliseconds, sometimes seconds', 'FileHandle.datasync', 'fs.html#filehandledatasync'),
  'fs.cpSync': advice('it copies the whole tree before anything else runs', 'fs.promises.cp', 'fs.html#fspromisescpsrc-dest-options'),
  'fs.rmSync': advice('it removes the whole tree before anything else runs', 'fs.promises.rm', 'fs.html#fspromisesrmpath-options'),
  'crypto.pbkdf2Sync': advice(DERIVES, 'crypto.pbkdf2 with a callback, which uses the thread pool', 'crypto.html#cryptopbkdf2password-salt-iterations-keylen-digest-callback'),
  'crypto.scryptSync': advice(DERIVES, 'crypto.scrypt with a callback, which uses the thread pool', 'crypto.html#cryptoscryptpassword-salt-keylen-options-callback'),
  'crypto.argon2Sync': advice(DERIVES, 'crypto.argon2 with a callback, which uses the thread pool', 'crypto.html'),
  'crypto.hkdfSync': advice('it derives the key on the event loop', 'crypto.hkdf with a callback', 'crypto.html#cryptohkdfdigest-ikm-salt-info-keylen-callback'),
  'crypto.generateKeyPairSync': advice(SEARCHES, 'crypto.generateKeyPair with a callback', 'crypto.html#cryptogeneratekeypairtype-options-callback'),
  'crypto.generateKeySync': advice(ENTROPY, 'crypto.generateKey with a callback', 'crypto.html#cryptogeneratekeytype-options-callback'),
  'crypto.generatePrimeSync': advice(SEARCHES, 'crypto.generatePrime with a callback', 'crypto.html#cryptogenerateprimesize-options-callback'),
  'crypto.checkPrimeSync': advice('the time grows with the size of the number and the number of checks', 'crypto.checkPrime with a callback', 'crypto.html#cryptocheckprimecandidate-options-callback'),
  'crypto.createDiffieHellman': advice(SEARCHES, 'crypto.getDiffieHellman with a well-known group, or an elliptic curve', 'crypto.html#cryptogetdiffiehellmangroupname'),
  'crypto.diffieHellman': advice('it computes the shared secret on the event loop', 'the callback form if this version of Node.js has it, or worker_threads', 'crypto.html#cryptodiffiehellmanoptions-callback'),
  'crypto.randomBytes': advice(ENTROPY, 'crypto.randomBytes(size, callback), or one large random buffer, used slice by slice', 'crypto.html#cryptorandombytessize-callback'),
  'crypto.randomFillSync': advice(ENTROPY, 'crypto.randomFill with a callback, or one large random buffer, used slice by slice', 'crypto.html#cryptorandomfillbuffer-offset-size-callback'),
  'crypto.randomInt': advice(ENTROPY, 'crypto.randomInt(min, max, callback)', 'crypto.html#cryptorandomintmin-max-callback'),
  'crypto.randomUUID': advice('it fills a cache of 128 identifiers on the event loop when the cache is empty', 'leave disableEntropyCache off; a counter behind one random prefix is enough for request ids', 'crypto.html#cryptorandomuuidoptions'),
  'crypto.sign': advice(SIGNS, 'crypto.sign with a callback, which uses the thread pool', 'crypto.html#cryptosignalgorithm-data-key-callback'),
  'crypto.verify': advice(SIGNS, 'crypto.verify with a callback, which uses the thread pool', 'crypto.html#cryptoverifyalgorithm-data-key-signature-callback'),
  'crypto.createSign().sign': advice(SIGNS, 'crypto.sign with a callback; for jsonwebtoken, its callback form or a library that uses crypto.subtle', 'crypto.html#cryptosignalgorithm-data-key-callback'),
  'crypto.createVerify().verify': advice(SIGNS, 'crypto.verify with a callback, and a cache of verified tokens', 'crypto.html#cryptoverifyalgorithm-data-key-signature-callback'),
  'child_process.execSync': advice(SPAWNS, 'child_process.exec, or execFile without a shell', 'child_process.html#child_processexeccommand-options-callback'),
  'child_process.execFileSync': advice(SPAWNS, 'child_process.execFile', 'child_process.html#child_processexecfilefile-args-options-callback'),
  'child_process.spawnSync': advice(SPAWNS, 'child_process.spawn', 'child_process.html#child_processspawncommand-args-options'),
  require: advice(LOADS, 'load it at start-up, before the process answers requests', 'modules.html'),
  import: advice(LOADS, 'load it at start-up, before the process answers requests', 'esm.html'),
  'Atomics.wait': advice('the thread sleeps, and with it the event loop', 'Atomics.waitAsync, or a message between threads', 'worker_threads.html'),
  'JSON.parse': advice(LARGE, 'request less data (pages, fields), parse it as a stream, or parse it in worker_threads', 'worker_threads.html'),
  'JSON.stringify': advice(LARGE, 'send less data (pages, fields), convert what several receive only once, cache the JSON of data that does not change, or write it as a stream', 'worker_threads.html'),
  'Date.now': advice(READS_CLOCK, CACHED, 'perf_hooks.html'),
  'new Date()': advice(READS_CLOCK, `${CACHED}, or clock.date()`, 'perf_hooks.html')
}

const HASHES = advice(LARGE, 'createReadStream(path).pipe(hash), which hashes in chunks, or worker_threads', 'crypto.html#class-hash')
const FAMILIES = new Map([
  ['fs', advice('it waits for the file system, and so does the event loop', 'the function of the same name in fs.promises', 'fs.html#promises-api')],
  ['zlib', advice('it processes the whole input on the event loop', 'the function of the same name without Sync, which uses the thread pool, or a stream', 'zlib.html')],
  ['crypto', advice('it computes on the event loop', 'the callback form, or worker_threads', 'crypto.html')],
  ['child_process', advice(SPAWNS, 'the function of the same name without Sync', 'child_process.html')]
])

/**
 * @param {string} api  of a target
 * @returns {Advice}
 */
function adviceOf (api) {
  if (Object.hasOwn(BY_API, api)) return BY_API[api]
  if (api === 'crypto.hash' || api.endsWith('().update')) return HASHES
  const [family, name] = api.split('.')
  const general = FAMILIES.get(family) ?? advice('it runs on the event loop', 'worker_threads', 'worker_threads.html')
  if (!/^\w+Sync$/.test(name ?? '')) return general // zlib.*Sync: all of them
  return { ...general, instead: asynchronousOf(family, name.slice(0, -'Sync'.length)) }
}

/** @param {string} family @param {string} name  without Sync */
function asynchronousOf (family, name) {
  if (family !== 'fs') return `${family}.${name} with a callback`
  // Read here and not above: Node.js loads fs.promises on first access.
  if (Object.hasOwn(fs.promises, name)) return `fs.promises.${name}`
  return Object.hasOwn(fs, name) ? `fs.${name} with a callback, or ${DESCRIPTOR}` : 'a function of fs.promises'
}

module.exports = { adviceOf }
