'use strict'

// Whose code a place is in, and the application's own before that of packages and of Node.js: that is where a person can change something.
// Pure; it requires nothing: the page has the same text as a script (html-page.js).

/** @param {{ file: string }} frame */
function originOf ({ file }) {
  if (file === '' || file.startsWith('node:')) return 'node'
  return /(^|\/)node_modules\//.test(file) ? 'dependency' : 'app'
}

/**
 * A stack in pieces: each frame of the application alone, what lies between them together.
 * @param {readonly any[]} stack  innermost first
 * @returns {({ isOwn: true, frame: any } | { isOwn: false, frames: any[] })[]}
 */
function foldStack (stack) {
  const pieces = []
  for (const frame of stack) {
    const last = pieces.at(-1)
    if (originOf(frame) === 'app') pieces.push({ isOwn: true, frame })
    else if (last !== undefined && !last.isOwn) last.frames.push(frame)
    else pieces.push({ isOwn: false, frames: [frame] })
  }
  return pieces
}

/** @param {readonly any[]} frames  of packages and Node.js */
function describeFolded (frames) {
  const packages = new Set(frames.filter(frame => originOf(frame) === 'dependency').map(packageOf))
  const whose = [...packages, ...(frames.some(frame => originOf(frame) === 'node') ? ['Node.js'] : [])]
  return `${frames.length} ${frames.length === 1 ? 'frame' : 'frames'} of ${whose.join(', ')}`
}

function packageOf ({ file }) {
  const [, name] = /.*(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? []
  return name ?? file
}

/**
 * What the culprit called: `pbkdf2Sync`, `lodash cloneDeep`; empty where it was its own code.
 * @param {{ call: string | null, via: { package: string, function: string, through: { package: string, function: string } | null } | null }} culprit
 */
function calledBy ({ call, via }) {
  const entered = via && `${via.package} ${via.function}`
  const through = via?.through && `${via.through.package} ${via.through.function}`
  return [entered, through, call].filter(Boolean).join(' → ')
}

module.exports = { originOf, foldStack, describeFolded, calledBy }
