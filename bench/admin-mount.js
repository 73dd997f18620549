'use strict'

// What do requests of the application pay for the admin surface that is mounted beside them?

const autocannon = require('autocannon')
const { withChildren } = require('./harness/child')
const { isAtLeast, ratios, show, summarize } = require('./harness/statistics')

const WAYS = Object.freeze(['absent', 'mounted'])
const CONNECTIONS = 32
const SLICE_SECONDS = 1
const MIN_RATIO = 0.99

const METHOD = `One Express server that says hello changes every second, under autocannon (${CONNECTIONS} connections), between \`diagnostics()\` with and without its ` +
  'routes; every other pair is backwards, and the first is left out.'

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  const pairs = quick ? 3 : 30
  /** @type {number[][]} */
  const rates = WAYS.map(() => [])
  await withChildren('admin-mount', [[]], async ([child]) => {
    for (let pair = -1; pair < pairs; pair++) {
      const order = [...WAYS.keys()]
      if (pair % 2 === 1) order.reverse()
      for (const index of order) {
        const rate = await load(child, WAYS[index])
        if (pair >= 0) rates[index].push(rate)
      }
      if (pair >= 0 && pair % 5 === 4) progress(`pair ${pair + 1} of ${pairs}`)
    }
  })
  return report(rates)
}

/**
 * @param {any} child
 * @param {string} way
 */
async function load (child, way) {
  await child.ask('use', way)
  const { requests, duration, errors, non2xx } = await autocannon({ url: `http://127.0.0.1:${child.hello.port}/`, connections: CONNECTIONS, duration: SLICE_SECONDS })
  if (errors + non2xx > 0) throw new Error(`${errors} requests failed, ${non2xx} were refused: the figures would say nothing`)
  return requests.total / duration
}

/** @param {number[][]} rates  by way and pair */
function report ([absent, mounted]) {
  const ratio = ratios(mounted, absent)
  return {
    question: 'What do other requests pay for the mounted routes?',
    method: METHOD,
    table: {
      columns: ['routes', 'requests/s', 'ratio'],
      rows: [['not mounted', show(summarize(absent), 0), '1'], ['mounted', show(summarize(mounted), 0), show(ratio, 3)]]
    },
    budgets: [{ budget: `requests/s, mounted to not, at least ${MIN_RATIO}`, measured: show(ratio, 3), isMet: isAtLeast(ratio, MIN_RATIO) }]
  }
}

module.exports = { measure }
