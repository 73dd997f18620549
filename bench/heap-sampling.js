'use strict'

// What does it cost to sample allocations? Express answers "hello world", with loopscope on in all cases.

const autocannon = require('autocannon')
const { withChildren } = require('./harness/child')
const { ratios, show, summarize } = require('./harness/statistics')

const CASES = Object.freeze(['not sampled', 'live', 'all'])
const CONNECTIONS = 32 // enough to keep one process busy all the time
const WARM_UP_SECONDS = 2
const ROUND_SECONDS = 2

const METHOD = `One server process a case, all with loopscope on; they take turns under autocannon (${CONNECTIONS} connections, ${ROUND_SECONDS} s), every other round ` +
  'backwards, and are started anew once. In `live` and `all` a heap profile was captured first, and its sampler is on during the rounds. Ratios are such that 1 costs nothing and less than 1 costs something.'

/** @typedef {{ perSecond: number, cpuMicros: number }} Load  requests a second, CPU a request */

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  const generations = quick ? 1 : 2
  const rounds = quick ? 1 : 4
  /** @type {Load[][]} */
  const loads = CASES.map(() => [])
  for (let generation = 0; generation < generations; generation++) {
    await withChildren('hello-sampling', CASES.map(() => []), async children => {
      for (const [index, child] of children.entries()) {
        await load(child, WARM_UP_SECONDS)
        if (index > 0) await child.ask('sample', CASES[index])
      }
      for (let round = 0; round < rounds; round++) {
        const order = [...children.keys()]
        if (round % 2 === 1) order.reverse()
        for (const index of order) loads[index].push(await load(children[index], ROUND_SECONDS))
        progress(`round ${generation * rounds + round + 1} of ${generations * rounds}: ${CASES.map((name, index) => `${name} ${loads[index].at(-1)?.perSecond.toFixed(0)}/s`).join(', ')}`)
      }
    })
  }
  return report(loads)
}

/**
 * @param {any} child
 * @param {number} seconds
 * @returns {Promise<Load>}
 */
async function load (child, seconds) {
  const answeredBefore = await child.ask('answered')
  await child.ask('begin')
  const { requests, duration, errors, non2xx } = await autocannon({ url: `http://127.0.0.1:${child.hello.port}/`, connections: CONNECTIONS, duration: seconds })
  if (errors + non2xx > 0) throw new Error(`${errors} requests failed, ${non2xx} were refused: the figures would say nothing`)
  const cpuMicros = await child.ask('cpuMicros')
  return { perSecond: requests.total / duration, cpuMicros: cpuMicros / (await child.ask('answered') - answeredBefore) }
}

/** @param {Load[][]} loads  by case and round */
function report (loads) {
  const perSecond = loads.map(rounds => rounds.map(round => round.perSecond))
  const cpuMicros = loads.map(rounds => rounds.map(round => round.cpuMicros))
  return {
    question: 'What does it cost to sample allocations?',
    method: METHOD,
    table: {
      columns: ['sampler', 'requests/s', 'ratio to not sampled', 'CPU µs a request', 'not sampled’s CPU to this'],
      rows: CASES.map((name, index) => [
        name, show(summarize(perSecond[index]), 0), show(ratios(perSecond[index], perSecond[0]), 3), show(summarize(cpuMicros[index]), 1), show(ratios(cpuMicros[0], cpuMicros[index]), 3)
      ])
    },
    budgets: []
  }
}

module.exports = { measure }
