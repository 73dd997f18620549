'use strict'

// Finds the files of loopscope that are run or read by path instead of being required: threads and pages. Bundlers include what is required, in one
// file; the other files are then those of the package of the same version that is installed next to the bundle.

const fs = require('node:fs')
const { createRequire } = require('node:module')
const path = require('node:path')
const { errors } = require('./errors')
const { Promise } = require('./globals')
const { guarded } = require('./guard')
const { name, version } = require('../../package.json')

const THIS_FILE = path.join('base', 'own-files.js')
const BESIDE_BUNDLE = 'leave loopscope out of the bundle (esbuild: external, webpack: externals, Rollup: external, ' +
  'Next.js: serverExternalPackages) and deploy it beside it'
const IN_BUNDLE = 'or bundle `loopscope/observer` to a file of its own and name that file in option observerFile'

// In an ES module neither is defined, and some bundlers make up a path.
const here = typeof __filename === 'string' && path.isAbsolute(__filename) ? __filename : null
const isBundled = here === null || !here.endsWith(path.sep + THIS_FILE)

/**
 * The prefix of loopscope's own files in stacks and profiles. In a bundle its functions cannot be distinguished from others, except for those with a
 * special name.
 */
const OWN_FOLDER = isBundled ? 'loopscope:/lib/' : here.slice(0, -THIS_FILE.length)

/** What functions are named that only pass a call on: the names of properties survive bundling and minifying. */
const WRAPPER_NAME = 'loopscopeWrapper'

/** The prefix of the files with these functions. */
const WRAPPERS_FOLDER = OWN_FOLDER + path.join('probe', 'sync-calls', path.sep)

/** Packages that loopscope calls for itself, with their own dependencies: below a frame of loopscope they work for loopscope. */
const OWN_PACKAGES = /[\\/]node_modules[\\/](pino|pino-std-serializers|sonic-boom|thread-stream|quick-format-unescaped|safe-stable-stringify|prom-client|tdigest)[\\/]/

/** The files of Node.js that load modules. */
const LOADER = /^node:internal\/modules\//

/** @type {string | null | undefined} */
let folder

/** @returns {string | null} lib/, wherever it is; null in a bundle that is on its own */
function libFolder () {
  if (folder === undefined) folder = isBundled ? findInstalled() : OWN_FOLDER
  return folder
}

/** @returns {string[]} files from which to look: that of the bundle, the one that was started, any of the working directory */
function startingFiles () {
  return [here, process.argv[1], path.resolve('index.js')].filter(file => typeof file === 'string').map(file => path.resolve(file))
}

/** @returns {string | null} */
function findInstalled () {
  for (const file of startingFiles()) {
    const requireFrom = createRequire(file)
    try {
      // The two ends of a thread speak the same version.
      const manifest = `${name}/package.json`
      if (requireFrom(manifest).version === version) return path.join(requireFrom.resolve(manifest), '..', 'lib', path.sep)
    } catch {} // not here
  }
  return null
}

/**
 * @param {string} file  below lib/
 * @returns {string} its path
 * @throws ERR_LOOPSCOPE_BUNDLED
 */
function ownFile (file) {
  const found = libFolder()
  if (found === null) throw new errors.ERR_LOOPSCOPE_BUNDLED(file, BESIDE_BUNDLE)
  return path.join(found, file)
}

/**
 * @param {string} file  of a page, below lib/
 * @throws ERR_LOOPSCOPE_BUNDLED
 */
function readOwn (file) {
  return fs.readFileSync(ownFile(file), 'utf8')
}

/**
 * @param {string | undefined} observerFile  option
 * @returns {string} the entry file of loopscope's threads
 * @throws ERR_LOOPSCOPE_BUNDLED
 */
function threadFile (observerFile) {
  if (observerFile !== undefined) {
    if (fs.existsSync(observerFile)) return path.resolve(observerFile)
    throw new errors.ERR_LOOPSCOPE_BUNDLED(`${observerFile} (option observerFile)`, 'bundle `loopscope/observer` to that file')
  }
  // As one expression: tools that collect the files of an application understand it.
  if (!isBundled) return path.join(__dirname, '..', 'observer', 'entry.js')
  const found = libFolder()
  if (found === null) throw new errors.ERR_LOOPSCOPE_BUNDLED('the file of the observer thread', `${BESIDE_BUNDLE}, ${IN_BUNDLE}`)
  return path.join(found, 'observer', 'entry.js')
}

/**
 * The flags of loopscope's threads: not those of the process, whose preloaded modules would start loopscope in them; only the resolver of Yarn
 * Plug'n'Play, if packages are in archives.
 * @returns {string[]}
 */
function threadFlags () {
  return process.versions.pnp === undefined ? [] : ['--require', ownRequire().resolve('pnpapi')]
}

/**
 * The one message of a thread that was started for it, which is ended when the signal aborts.
 * @param {import('node:worker_threads').Worker} worker
 * @param {AbortSignal} signal
 * @param {string} problem  where it ends without a message
 * @returns {Promise<any>} rejects with the error in it: one that is sent between threads loses its code
 */
function answerOfThread (worker, signal, problem) {
  return new Promise((resolve, reject) => {
    const abort = guarded(() => worker.terminate())
    signal.addEventListener('abort', abort, { once: true })
    worker.once('message', guarded(({ error, ...answer }) => error === undefined ? resolve(answer) : reject(Object.assign(new Error(error.message), error))))
    worker.once('error', guarded(reject))
    worker.once('exit', guarded(() => {
      signal.removeEventListener('abort', abort)
      reject(signal.aborted ? signal.reason : new Error(problem))
    }))
  })
}

/**
 * Packages that are needed at run time as files, or not at all. Bundlers cannot follow this, and shall not.
 * @returns {NodeJS.Require}
 */
function ownRequire () {
  const found = libFolder()
  return createRequire(found === null ? startingFiles()[0] : path.join(found, 'index.js'))
}

module.exports = { LOADER, OWN_FOLDER, OWN_PACKAGES, WRAPPERS_FOLDER, WRAPPER_NAME, answerOfThread, ownFile, ownRequire, readOwn, threadFile, threadFlags }
