'use strict'

// The action `push`: what the rule has captured before it goes to all destinations of option egress.

/** @type {import('../actors').Actor} */
async function push (action, { artifacts }, { heapProfiles, push }) {
  for (const artifact of artifacts) {
    if (!await push({ ...artifact, heapProfile: heapProfiles.get(artifact.name) })) throw new Error(`${artifact.name} is a heap snapshot that was not redacted: it is not sent`)
  }
}

module.exports = { push }
