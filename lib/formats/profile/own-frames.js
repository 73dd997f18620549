'use strict'

// Removes the frames of loopscope from a profile, so that they appear in no view, format or share. Pure: profile in, profile out.
//
// loopscope's code runs in the middle of other code (an interrupt), between a call and its callee (middleware, a wrapper), or by itself (a timer).
// The logger and the metrics client that it loads and calls count as loopscope's too. Its time goes to the nearest function above it, as if it were
// inlined there; if that is not a function of the application, it goes to (program), which is V8's name for everything that is not JavaScript.

const { pathToFileURL } = require('node:url')
const { LOADER, OWN_FOLDER, OWN_PACKAGES, WRAPPER_NAME } = require('../../base/own-files')
const { metaFrame, withCallers } = require('./nodes')

/** @import { CallFrame, CpuProfile, ProfileNode } from '../../../types/profile' */

const OWN_URLS = [OWN_FOLDER, ...OWN_FOLDER.startsWith('/') || /^[a-z]:/i.test(OWN_FOLDER) ? [pathToFileURL(OWN_FOLDER).href] : []]

const PROGRAM = metaFrame('(program)')

/**
 * @typedef {object} Kept  the frame above, once loopscope's frames are removed
 * @property {number} id
 * @property {boolean} isUsers  whether some function of the application or of a package is at it or above it
 */

/** @param {CpuProfile} profile @returns {CpuProfile} the same one if no code of loopscope ran */
function withoutOwnFrames (profile) {
  return profile.nodes.some(({ callFrame }) => isOwn(callFrame)) ? new Rewriting(profile).result() : profile
}

class Rewriting {
  #profile
  /** @type {Map<number, ProfileNode>} */
  #byId
  /** Nodes that are, or have somewhere below them, a function that belongs neither to loopscope nor to Node.js. */
  #callsUsers
  /** @type {Map<number, ProfileNode>} */
  #kept = new Map()
  /** Where samples of the nodes that are gone belong. @type {Map<number, number>} */
  #heirs = new Map()
  #unusedId
  /** @type {number | undefined} */
  #program

  /** @param {CpuProfile} profile */
  constructor (profile) {
    this.#profile = profile
    this.#byId = new Map(profile.nodes.map(node => [node.id, node]))
    this.#callsUsers = withCallers(profile.nodes, profile.nodes.filter(({ callFrame }) => isUsers(callFrame)).map(({ id }) => id))
    this.#unusedId = profile.nodes.reduce((most, { id }) => Math.max(most, id), 0) + 1
  }

  /** @returns {CpuProfile} */
  result () {
    const [root] = this.#profile.nodes
    this.#kept.set(root.id, { ...root, children: [] })
    /** @type {{ id: number, above: Kept, isBelowOwn: boolean, isLoaded: boolean }[]} */
    const pending = (root.children ?? []).map(id => ({ id, above: { id: root.id, isUsers: false }, isBelowOwn: false, isLoaded: false }))
    for (const { id, above, isBelowOwn, ...here } of pending) {
      const node = this.#byId.get(id)
      if (node === undefined) continue
      const { url } = node.callFrame
      // Code that runs while loopscope loads a module counts as loopscope's; the application is never loaded by it.
      const isLoaded = here.isLoaded || (isBelowOwn && LOADER.test(url))
      const isGone = isLoaded || isOwn(node.callFrame) || (isBelowOwn && (OWN_PACKAGES.test(url) || !this.#callsUsers.has(id)))
      const next = isGone ? this.#leaveOut(node, above) : this.#keep(node, above)
      for (const child of node.children ?? []) pending.push({ id: child, above: next, isBelowOwn: isGone && !isWrapper(node.callFrame), isLoaded })
    }
    const samples = this.#profile.samples.map(id => this.#heirs.get(id) ?? id)
    return { ...this.#profile, nodes: [...this.#kept.values()], samples }
  }

  /** @param {ProfileNode} node @param {Kept} above @returns {Kept} */
  #keep (node, above) {
    this.#kept.set(node.id, { ...node, children: [] })
    this.#kept.get(above.id)?.children?.push(node.id)
    return { id: node.id, isUsers: above.isUsers || isUsers(node.callFrame) }
  }

  /** @param {ProfileNode} node @param {Kept} above */
  #leaveOut (node, above) {
    this.#heirs.set(node.id, above.isUsers ? above.id : this.#programId())
    return above
  }

  #programId () {
    this.#program ??= this.#profile.nodes[0].children?.find(id => this.#byId.get(id)?.callFrame.functionName === PROGRAM.functionName) ?? this.#addProgram()
    return this.#program
  }

  #addProgram () {
    const id = this.#unusedId
    this.#keep({ id, callFrame: PROGRAM }, { id: this.#profile.nodes[0].id, isUsers: false })
    return id
  }
}

/** @param {CallFrame} callFrame */
function isOwn (callFrame) {
  return isWrapper(callFrame) || OWN_URLS.some(folder => callFrame.url.startsWith(folder))
}

/** A wrapper passes a call on: its callee counts as called by its caller. @param {CallFrame} callFrame */
function isWrapper ({ functionName }) {
  return functionName === WRAPPER_NAME
}

/** @param {CallFrame} callFrame */
function isUsers (callFrame) {
  const { url, scriptId } = callFrame
  // Without a url it is native, unless it has a script: code made by eval or new Function.
  return (url === '' ? Number(scriptId) !== 0 : !url.startsWith('node:')) && !isOwn(callFrame)
}

module.exports = { withoutOwnFrames }
