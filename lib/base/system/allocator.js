'use strict'

// Which memory allocator the process runs with: by the libraries that are mapped, and the variable by which people limit the arenas of glibc.

const fs = require('node:fs')

/** @typedef {{ name: 'jemalloc' | 'tcmalloc' | 'mimalloc' | 'musl' | 'glibc' | null, arenaMax: number | null }} Allocator  null: not known, not set */

const LIBRARIES = Object.freeze(/** @type {const} */ ([
  ['jemalloc', /libjemalloc[^/]*\.so/],
  ['tcmalloc', /libtcmalloc[^/]*\.so/],
  ['mimalloc', /libmimalloc[^/]*\.so/],
  ['musl', /ld-musl-[^/]*\.so|libc\.musl-[^/]*\.so/],
  ['glibc', /\/libc(?:-[\d.]+)?\.so/]
]))

/**
 * @param {string} maps  /proc/self/maps
 * @param {string} variables  /proc/self/environ: those with which the process was started, as the allocator read them
 * @returns {Allocator}
 */
function parseAllocator (maps, variables) {
  const [name = null] = LIBRARIES.find(([, pattern]) => pattern.test(maps)) ?? []
  const [, arenas] = /(?:^|\0)MALLOC_ARENA_MAX=(\d+)(?:\0|$)/.exec(variables) ?? []
  return { name, arenaMax: arenas === undefined ? null : Number(arenas) }
}

/** @returns {Allocator} */
function readAllocator () {
  try {
    return parseAllocator(fs.readFileSync('/proc/self/maps', 'latin1'), fs.readFileSync('/proc/self/environ', 'latin1'))
  } catch {
    return { name: null, arenaMax: null } // not Linux
  }
}

module.exports = { parseAllocator, readAllocator }
