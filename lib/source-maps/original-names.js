'use strict'

// Original names: of a function, and of a source file, as a path or name that can be searched for.

const fs = require('node:fs')
const path = require('node:path')
const { attempt } = require('../base/guard')
const { decoded, scriptFile } = require('./find-map')

/** @import { Segment } from './source-map' */

// Names of a letter or two on a line as long as no person writes are a minifier's.
const MAX_MINIFIED_NAME = 2
const MIN_MINIFIED_LINE = 500

const IDENTIFIER = /[\w$\u0080-\uFFFF]+$/
const PART = /^[\w$\u0080-\uFFFF]/

const MAX_LENGTH = 300
const SCHEME = /^[a-z][a-z\d+.-]+:/i // C:\ is none
// webpack://shop/./src/a.ts, webpack:///src/a.ts, turbopack:///[project]/src/a.ts
const BUNDLERS = /^[a-z][a-z\d+.-]+:\/\/[^/]*\/(?:\[project\]\/)?/i
const SOURCE_CODE = /\.[cm]?[jt]sx?$/
const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+\//

/**
 * V8 has the generated name; the source map has the original one at the identifier, some columns before the parameters, where the function begins
 * according to V8.
 * @param {string} generated  V8's name
 * @param {() => string} readLine  of the generated code: most names need none
 * @param {Segment['namesBefore']} namesBefore
 * @returns {string} '' where it is unknown
 */
function toOriginalName (generated, readLine, namesBefore) {
  const [identifier] = IDENTIFIER.exec(generated) ?? []
  if (identifier === undefined) return generated
  const holder = generated.slice(0, -identifier.length) // `exports.`
  const isMinified = (/** @type {string} */ name) => name.length <= MAX_MINIFIED_NAME && readLine().length >= MIN_MINIFIED_LINE
  const line = namesBefore.length === 0 ? '' : readLine()
  const found = namesBefore.find(({ column }) => line.startsWith(identifier, column) && !PART.test(line.slice(column + identifier.length)))
  const name = found?.name ?? (isMinified(identifier) ? '' : identifier)
  return name === '' || isMinified(holder.slice(0, -1)) ? name : holder + name
}

/**
 * What a map calls a source, as the path or name that a person looks for. A name is only shown: nothing reads the file behind it.
 * @param {string} source
 * @param {{ folder: string, script: string, appRoot: string }} context  folder: what it is relative to; script: the generated file
 * @returns {string | null} a path, or a name; null where it can be neither
 */
function toSourceFile (source, { folder, script, appRoot }) {
  if (source.length > MAX_LENGTH || /\p{Cc}/u.test(source)) return null
  const file = resolveSource(source, folder, appRoot)
  const [owner] = PACKAGE.exec(script.replaceAll('\\', '/')) ?? []
  // A package's code stays a package's, wherever it was built, and whether or not the package brings its sources.
  if (owner !== undefined) return file.replaceAll('\\', '/').startsWith(owner) ? file : null
  const isInside = file.startsWith(appRoot.replace(/[\\/]*$/, path.sep))
  return isInside || (SOURCE_CODE.test(file) && attempt(() => fs.statSync(file).isFile(), false)) ? file : toName(source)
}

/**
 * A source that does not exist here must not look like a path that does: a reader would find another file.
 * @param {string} source
 */
function toName (source) {
  return source.replace(/^[a-z][a-z\d+.-]+:\/\/[^/]*/i, '').replace(/^(?:\.{0,2}\/)+/, '')
}

/** @param {string} source @param {string} folder @param {string} appRoot */
function resolveSource (source, folder, appRoot) {
  if (source.startsWith('file:')) return scriptFile(source) ?? source
  if (!SCHEME.test(source)) return path.resolve(folder, decoded(source))
  const name = decoded(source.replace(BUNDLERS, '').replace(/\?[^?/]*$/, ''))
  // webpack:///external "fs", webpack/bootstrap
  return BUNDLERS.test(source) && !/^(external |webpack\/)/.test(name) ? path.resolve(appRoot, name) : name
}

module.exports = { toSourceFile, toOriginalName }
