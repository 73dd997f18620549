'use strict'

// One mount of a router or sub-application (`app.use('/org/:org', router)`): which part of a path it takes and what its
// template is. Reads the layers of Express; never calls Layer#match, which before router 2.3 writes to the layer.

const { compileTemplate } = require('./template-pattern')
const { probeTemplate, matchLayer } = require('./layer-probe')

/**
 * @typedef {{ template: string, length: number }} MountMatch  length: characters of the path that the mount takes
 * @typedef {{ match (path: string): MountMatch | null }} Mount
 */

// A mount from which more templates than this are learned was given as an expression of the user's: further paths are masked.
const MAX_LEARNED = 20

/**
 * @param {any} layer  of a router's stack
 * @returns {Mount}
 */
function mountOfLayer (layer) {
  if (layer.rawPath !== undefined) return mountOfPath(layer.rawPath)
  const { regexp } = layer
  // path-to-regexp ends what it makes for a mount like this; anything else is the user's own expression.
  if (regexp instanceof RegExp && !regexp.source.includes('(?=\\/|$)')) return new ExpressionMount(regexp)
  return new ProbedMount(layer)
}

/**
 * @param {unknown} path  as given to use(): text, expression, or an array of both
 * @returns {Mount}
 */
function mountOfPath (path) {
  if (Array.isArray(path)) return new AnyMount(path.map(mountOfPath))
  return path instanceof RegExp ? new ExpressionMount(path) : new TemplateMount(String(path))
}

class TemplateMount {
  #template
  #pattern

  /** @param {string} path */
  constructor (path) {
    this.#template = path.replace(/\/+$/, '')
    this.#pattern = compileTemplate(path, { isPrefix: true })
  }

  /**
   * @param {string} path
   * @returns {MountMatch | null}
   */
  match (path) {
    if (this.#template === '') return { template: '', length: 0 }
    const match = this.#pattern?.exec(path)
    return match ? { template: this.#template, length: match[0].length } : null
  }
}

class ExpressionMount {
  #template
  #pattern

  /** @param {RegExp} expression */
  constructor (expression) {
    this.#template = expression.source
    // A copy: exec() on a global or sticky expression would move the user's lastIndex.
    this.#pattern = new RegExp(expression.source, expression.flags.replace(/[gy]/g, ''))
  }

  /**
   * @param {string} path
   * @returns {MountMatch | null}
   */
  match (path) {
    const match = this.#pattern.exec(path)
    return match ? { template: this.#template, length: match[0].length } : null
  }
}

class AnyMount {
  #mounts

  /** @param {Mount[]} mounts */
  constructor (mounts) {
    this.#mounts = mounts
  }

  /**
   * @param {string} path
   * @returns {MountMatch | null}
   */
  match (path) {
    for (const mount of this.#mounts) {
      const match = mount.match(path)
      if (match !== null) return match
    }
    return null
  }
}

/** Express 4 and router before 2.3 keep only the compiled path: the template is learned from the paths that come. */
class ProbedMount {
  #layer
  /** @type {TemplateMount[]} */
  #learned = []

  /** @param {any} layer */
  constructor (layer) {
    this.#layer = layer
  }

  /**
   * @param {string} path
   * @returns {MountMatch | null}
   */
  match (path) {
    for (const mount of this.#learned) {
      const match = mount.match(path)
      if (match !== null) return match
    }
    const matched = matchLayer(this.#layer, path)
    if (matched === null || this.#learned.length === MAX_LEARNED) return null
    const taken = matched.path.replace(/\/$/, '')
    const template = probeTemplate(this.#layer, { ...matched, path: taken })
    this.#learned.push(new TemplateMount(template))
    return { template, length: taken.length }
  }
}

module.exports = { mountOfLayer, mountOfPath }
