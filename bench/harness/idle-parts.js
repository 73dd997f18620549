'use strict'

// Which part of an idle process wakes how often, and what it costs: its threads one by one, cases that differ by one part, and how it
// changes as the process grows older. Pure functions of what was measured.

const { differences, medianOf, ratios, show, summarize } = require('./statistics')

/** @import { ThreadShare } from './cpu-meter' */
/** @import { Idle } from './idle-rounds' */

/** @typedef {{ part: string, with: string, without: string }} Part  names of cases */
/** @typedef {{ fromSeconds: number, measured: Idle[][] }} Age  of the processes; by case and round */

/**
 * @param {readonly string[]} cases
 * @param {Idle[][]} measured  by case and round
 * @param {readonly string[]} chosen  cases
 */
function threadTable (cases, measured, chosen) {
  return {
    title: 'By thread. Of `on, no recorder` the main thread is the heartbeat alone, and the observer is the watch with all that it does every second: the probe of libuv\'s ' +
      'pool, the series of the loop, the threads, rules.',
    table: {
      columns: ['case', 'thread', 'CPU, % of one core: minimum', 'median (smallest to largest)', 'wake-ups a second'],
      rows: chosen.flatMap(name => rowsOf(name, measured[cases.indexOf(name)].flatMap(({ threads }) => threads === null ? [] : [threads])))
    }
  }
}

/**
 * @param {string} name
 * @param {ThreadShare[][]} rounds
 */
function rowsOf (name, rounds) {
  const threads = [...new Set(rounds.flatMap(threads => threads.map(({ name }) => name)))]
  return threads.map(thread => {
    const shares = rounds.map(threads => threads.find(({ name }) => name === thread) ?? { percent: 0, wakeUps: 0 })
    const percents = shares.map(({ percent }) => percent)
    return [name, thread, Math.min(...percents).toFixed(2), show(summarize(percents), 2), medianOf(shares.map(({ wakeUps }) => wakeUps)).toFixed(1)]
  })
}

/**
 * @param {readonly string[]} cases
 * @param {Idle[][]} measured  by case and round
 * @param {readonly Part[]} parts
 */
function partTable (cases, measured, parts) {
  const roundsOf = (/** @type {string} */ name) => measured[cases.indexOf(name)]
  return {
    title: 'By part: the difference of two cases in the same rounds.',
    table: {
      columns: ['part', 'with it', 'without', 'CPU, % of one core: median (smallest to largest)', 'wake-ups a second'],
      rows: parts.map(({ part, with: withIt, without }) => {
        const [more, less] = [roundsOf(withIt), roundsOf(without)]
        const percents = differences(more.map(({ percent }) => percent), less.map(({ percent }) => percent))
        const wakeUps = more.flatMap((round, index) => round.wakeUps === null ? [] : round.wakeUps - (less[index].wakeUps ?? 0))
        return [part, withIt, without, show(percents, 2), wakeUps.length === 0 ? 'not known' : medianOf(wakeUps).toFixed(1)]
      })
    }
  }
}

/**
 * @param {readonly string[]} cases
 * @param {readonly Age[]} ages
 * @param {readonly string[]} chosen  cases
 * @param {string} rival              the case that the first one chosen is divided by
 */
function ageTable (cases, ages, chosen, rival) {
  const percentsOf = (/** @type {Age} */ { measured }, /** @type {string} */ name) => measured[cases.indexOf(name)].map(({ percent }) => percent)
  return {
    title: 'By age of the process: CPU, % of one core, medians.',
    table: {
      columns: ['from second', ...chosen, `${chosen[0]} to ${rival}`],
      rows: ages.map(age => [
        String(age.fromSeconds), ...chosen.map(name => medianOf(percentsOf(age, name)).toFixed(2)), show(ratios(percentsOf(age, chosen[0]), percentsOf(age, rival)), 2)
      ])
    }
  }
}

module.exports = { ageTable, partTable, threadTable }
