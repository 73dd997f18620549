'use strict'

// What does a request pay? Express answers "hello world", the least an application can do, so shares are the largest there are.

const autocannon = require('autocannon')
const { withChildren } = require('./harness/child')
const { ratios, show, summarize } = require('./harness/statistics')

const CASES = Object.freeze(['off', 'on', 'express-prom-bundle', 'prom-client'])
const BUDGET = Number(process.versions.node.split('.')[0]) >= 24 ? 0.98 : 0.95 // AsyncLocalStorage rides on async_hooks before

const CONNECTIONS = 32 // enough to keep one process busy all the time
const WARM_UP_SECONDS = 2
const ROUND_SECONDS = 2 // short: what else the machine does changes, and a ratio wants both of its halves at nearly the same time

const METHOD = `One server process a case; they take turns under autocannon (${CONNECTIONS} connections, ${ROUND_SECONDS} s), every other round ` +
  'backwards, and are started anew twice, because two processes of the same code differ too. CPU per request is the CPU time of all threads of the server over the ' +
  'requests it answered; ratios are such that 1 costs nothing and less than 1 costs something.'

/** @typedef {{ perSecond: number, cpuMicros: number }} Load  requests a second, CPU a request */

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  const generations = quick ? 1 : 3
  const rounds = quick ? 1 : 4
  /** @type {Load[][]} */
  const loads = CASES.map(() => [])
  for (let generation = 0; generation < generations; generation++) {
    await withChildren('hello', CASES.map(name => [name]), async children => {
      for (const child of children) await load(child, WARM_UP_SECONDS)
      for (let round = 0; round < rounds; round++) {
        const order = [...children.keys()]
        if (round % 2 === 1) order.reverse()
        for (const index of order) loads[index].push(await load(children[index], ROUND_SECONDS))
        progress(`round ${generation * rounds + round + 1} of ${generations * rounds}: ` +
          CASES.map((name, index) => `${name} ${loads[index].at(-1)?.perSecond.toFixed(0)}/s`).join(', '))
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
  const off = CASES.indexOf('off')
  const ratesOf = (/** @type {string} */ name) => ratios(perSecond[CASES.indexOf(name)], perSecond[off])
  const cpuOf = (/** @type {string} */ name) => ratios(cpuMicros[off], cpuMicros[CASES.indexOf(name)])
  const rate = ratesOf('on')
  const cpu = cpuOf('on')
  const rivalRate = ratesOf('express-prom-bundle')
  const rivalCpu = cpuOf('express-prom-bundle')
  return {
    question: 'What does a request cost?',
    method: METHOD,
    table: {
      columns: ['case', 'requests/s', 'ratio to off', 'CPU µs a request', 'off’s CPU to this'],
      rows: CASES.map((name, index) => [
        name, show(summarize(perSecond[index]), 0), show(ratesOf(name), 3), show(summarize(cpuMicros[index]), 1), show(cpuOf(name), 3)
      ])
    },
    budgets: [
      { budget: `requests/s, on to off, at least ${BUDGET}`, measured: show(rate, 3), isMet: rate.median >= BUDGET },
      { budget: `CPU a request, off to on, at least ${BUDGET}`, measured: show(cpu, 3), isMet: cpu.median >= BUDGET },
      {
        budget: 'both above those of express-prom-bundle',
        measured: `${rate.median.toFixed(3)} beside ${rivalRate.median.toFixed(3)}, ${cpu.median.toFixed(3)} beside ${rivalCpu.median.toFixed(3)}`,
        isMet: rate.median > rivalRate.median && cpu.median > rivalCpu.median
      }
    ]
  }
}

module.exports = { measure }
