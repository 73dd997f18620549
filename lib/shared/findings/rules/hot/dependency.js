'use strict'

// A dependency's own JavaScript, and the function of the application that went there.

const { dependencyOf, isInPackage } = require('../../../formats/profile/frame')
const { placed } = require('../../words')
const { builtinOf, isExpression } = require('./builtins')
const { isWorth, spotFinding, through } = require('./spot')

/** @import { Readings, Spot } from '../../readings' */
/** @import { HotRule } from './rules' */

// Without stalls: frameworks and drivers are what an application runs on, and have their share of every busy loop.
const ENOUGH = Object.freeze({ ofTime: 0.4, ofBusy: 0.4 })
const MAX_PLACES = 3

/** @type {HotRule} */
module.exports = {
  id: 'hot-dependency',

  // Several functions of the application may go to one package, none of them with enough to be said alone.
  join (spots, readings) {
    const packages = [...new Set(spots.map(nameOf))]
    return packages.flatMap(name => {
      const group = spots.filter(spot => nameOf(spot) === name)
      return group.length === 1 || group.some(spot => isWorth(spot, readings, ENOUGH)) ? group : [joined(group)]
    })
  },

  say (spot, readings) {
    if (!isWorth(spot, readings, ENOUGH)) return null
    const name = nameOf(spot)
    const expression = isExpression(spot.culprit.call, '') ? builtinOf({ ...spot, text: '' }) : null
    return spotFinding('hot-dependency', spot, readings, {
      work: `${expression === null ? '' : `${expression.name} in `}the package ${name}${enteredBy(spot)}`,
      why: expression?.why ?? `${name} computes on the event loop, and everything else waits until it is done`,
      instead: expression === null
        ? `call it less often or with less (a cache, a limit, pages), take an asynchronous or native variant of ${name} where there is one, or move the call into worker_threads`
        : `limit the length of what is passed to ${name} and check its form before, give it a fixed format where it takes one, or update it: the expression is ${name}'s own`,
      evidence: { package: name, ...(spot.culprit.via?.through && { through: spot.culprit.via.through.package }) }
    })
  }
}

/** @param {Spot} spot */
function enteredBy ({ culprit, places = [placed(culprit)] }) {
  const { via } = culprit
  if (via === null || isInPackage(culprit.file)) return through(culprit)
  const entrance = places.length === 1 ? `'s ${via.function}` : ''
  return `${entrance}${through(culprit)}, called in ${places.slice(0, MAX_PLACES).join(', ')}`
}

/**
 * @param {Spot[]} spots  of one package, heaviest first
 * @returns {Spot}
 */
function joined (spots) {
  const [heaviest] = spots
  const sum = (/** @type {(spot: Spot) => number} */ of) => spots.reduce((all, spot) => all + of(spot), 0)
  return {
    ...heaviest,
    ms: sum(({ ms }) => ms),
    ownMs: sum(({ ownMs }) => ownMs),
    share: sum(({ share }) => share),
    samples: sum(({ samples }) => samples),
    sinceMs: Math.min(...spots.map(({ sinceMs }) => sinceMs)),
    route: spots.every(({ route }) => route === heaviest.route) ? heaviest.route : null,
    stalls: {
      count: sum(({ stalls }) => stalls.count),
      ms: sum(({ stalls }) => stalls.ms),
      longestMs: Math.max(...spots.map(({ stalls }) => stalls.longestMs)),
      lines: []
    },
    places: spots.map(({ culprit }) => placed(culprit))
  }
}

/** @param {Spot} spot */
function nameOf ({ culprit }) {
  return dependencyOf(culprit) ?? culprit.file
}
