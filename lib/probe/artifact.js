'use strict'

// The capture result that the application receives: the facts of a file in the store, and the file.

const fs = require('node:fs')

/** @import { Artifact } from '../../types/diagnostics' */
/** @import { CapturedFacts } from '../observer/captures' */

/**
 * @param {CapturedFacts} facts
 * @returns {Artifact & Pick<CapturedFacts, 'hot'>}
 */
function createArtifact (facts) {
  return {
    ...facts,
    text: () => fs.promises.readFile(facts.path, 'utf8'),
    stream: () => fs.createReadStream(facts.path)
  }
}

module.exports = { createArtifact }
