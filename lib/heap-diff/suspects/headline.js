'use strict'

// Summarizes the result of a comparison in one sentence.

/** @import { Place } from './retainer-path' */
/** @import { Suspect } from './suspects' */

const BYTES_PER_MB = 1e6

/**
 * @param {{ beforeBytes: number, afterBytes: number, suspects: readonly Suspect[] }} found
 */
function headlineOf ({ beforeBytes, afterBytes, suspects }) {
  const heap = `Heap ${megabytes(beforeBytes)} → ${megabytes(afterBytes)} MB.`
  const [first] = suspects
  if (first === undefined || first.confidence === 'low') {
    return `${heap} ${afterBytes > beforeBytes ? 'No object is suspicious.' : 'It did not grow.'}`
  }
  return `${heap} ${subjectOf(first)} explains ${megabytes(first.growthBytes)} MB (${Math.round(first.share * 100)} %)`
}

/** @param {Suspect} suspect */
function subjectOf ({ name, className, place, objects }) {
  const where = place === null ? '' : ` in ${showFile(place.file)}:${place.line}`
  const kind = objects > 1 ? `${objects} × ${className}` : className
  return name === className ? `${kind}${where}` : `\`${name}\` (${kind}${where})`
}

/** @param {number} bytes */
function megabytes (bytes) {
  return (bytes / BYTES_PER_MB).toFixed(1)
}

/**
 * The name of a file in a sentence: of a package's file with the package, since there are many of `index.js`.
 * @param {string} file  path or URL
 */
function showFile (file) {
  const parts = file.replaceAll('\\', '/').split('/')
  const modules = parts.lastIndexOf('node_modules')
  return modules === -1 ? parts[parts.length - 1] : parts.slice(modules + 1).join('/')
}

module.exports = { headlineOf, subjectOf }
