'use strict'

// Writes V8's own JSON, which Chrome DevTools and VS Code open. The routes and processes of its samples, and the lines at which functions were at work,
// are additional members, which they ignore.

const { countBy } = require('../base/sums')
const { assertCpuProfile } = require('./profile/assert-profile')
const { wholePaths } = require('./profile/work-lines')

/** @import { CpuProfile, EncodeContext } from '../../types/profile' */

/** @param {CpuProfile} profile @param {Pick<EncodeContext, 'appRoot' | 'lines'>} [context] @returns {Buffer} */
function encodeCpuProfile (profile, context = {}) {
  assertCpuProfile(profile)
  const { nodes, startTime, endTime, samples, timeDeltas, routes, processes, workLines = wholePaths(context) } = profile
  const hits = countBy(samples, id => id)
  return Buffer.from(JSON.stringify({
    // DevTools takes a node's own time from its hitCount. V8 leaves samples out of it that it took beside its timer,
    // and a profile cut from a longer one no longer has it right.
    nodes: nodes.map(node => ({ ...node, hitCount: hits.get(node.id) ?? 0 })),
    startTime,
    endTime,
    samples,
    timeDeltas,
    ...(routes && { routes: { names: routes.names, samples: routes.samples } }),
    ...(processes && { processes: { names: processes.names, samples: processes.samples, wallMicros: processes.wallMicros, of: processes.of } }),
    ...(workLines.length > 0 && { workLines })
  }))
}

module.exports = { encodeCpuProfile }
