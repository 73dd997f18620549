'use strict'

// A dependency's own JavaScript, and the function of the application that went there.

const { placed } = require('../../words')
const { isWorth, spotFinding } = require('./spot')

/** @import { HotRule } from './rules' */
/** @import { Spot } from '../../readings' */

// Without stalls: frameworks and drivers are what an application runs on, and have their share of every busy loop.
const ENOUGH = Object.freeze({ ofTime: 0.4, ofBusy: 0.4 })

/** @type {HotRule} */
module.exports = {
  id: 'hot-dependency',
  say (spot, readings) {
    if (!isWorth(spot, readings, ENOUGH)) return null
    const name = packageOf(spot)
    const entered = spot.culprit.via === null ? '' : `'s ${spot.culprit.via.function}, called in ${placed(spot.culprit)}`
    return spotFinding('hot-dependency', spot, readings, {
      work: `the package ${name}${entered}`,
      why: `${name} computes on the event loop, and everything else waits until it is done`,
      instead: `call it less often or with less (a cache, a limit, pages), take an asynchronous or native variant of ${name} where there is one, or move the call into worker_threads`,
      evidence: { package: name }
    })
  }
}

/** @param {Spot} spot */
function packageOf ({ culprit: { via, file } }) {
  return via?.package ?? /.*(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? file
}
