'use strict'

// Is what blocks the loop found, and is the function that did it named?

const { setTimeout: sleep } = require('node:timers/promises')
const { withChildren } = require('./harness/child')

const CASES = Object.freeze(['loopscope', 'blocked-at', 'toobusy-js'])
const MIN_NAMED_SHARE = 0.95

// The routes of test/fixtures/apps/ten-causes.js, and the function of the application that blocks for each.
const CAUSES = Object.freeze({
  '/login/ann': 'hashPassword',
  '/keys/ann': 'deriveKey',
  '/images/1': 'resizeImage',
  '/catalogue': 'readCatalogue',
  '/orders': 'parseOrders',
  '/names': 'searchNames',
  '/prices': 'sortPrices',
  '/export': 'compressExport',
  '/cache': 'refillCache',
  '/queue': 'pollQueue'
})

// Reports of one stall must not be taken for the next one's. Ours comes some 100 ms after the stall is over.
const SETTLE_MS = 400

const METHOD = 'The Express application of the tests (`test/fixtures/apps/ten-causes.js`) blocks its loop for about a quarter of a second in ten ways: ' +
  'native calls, file reads, a child process, JSON, a regular expression, sorting, garbage, a plain loop after an await. A cause counts as named ' +
  'when the report says the name of the application’s function that blocked: ours as the culprit, blocked-at’s anywhere in its stack.'

/** @typedef {{ culprit: string, isFound: boolean, isNamed: boolean, named: string[] }} Verdict  named: by any report */

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  const rounds = quick ? 1 : 2
  /** @type {Verdict[][]} */
  const verdicts = CASES.map(() => [])
  for (const [index, name] of CASES.entries()) {
    // One at a time: two of them would take the two cores of a small machine from each other.
    await withChildren('ten-causes', [[name]], async ([child]) => {
      for (let round = 0; round < rounds; round++) {
        for (const [path, culprit] of Object.entries(CAUSES)) verdicts[index].push(await block(child, path, culprit))
      }
    })
    progress(`${name}: ${verdicts[index].filter(({ isFound }) => isFound).length} of ${verdicts[index].length} found`)
  }
  return report(verdicts)
}

/**
 * @param {any} child
 * @param {string} path
 * @param {string} culprit
 * @returns {Promise<Verdict>}
 */
async function block (child, path, culprit) {
  await child.ask('forget')
  await (await fetch(`http://127.0.0.1:${child.hello.port}${path}`)).arrayBuffer()
  await sleep(SETTLE_MS)
  /** @type {string[][]} */
  const reports = await child.ask('reports')
  const named = reports.flat()
  return { culprit, isFound: reports.length > 0, isNamed: named.includes(culprit), named }
}

/** @param {Verdict[][]} verdicts  by case */
function report (verdicts) {
  const found = verdicts.map(ofCase => ofCase.filter(({ isFound }) => isFound).length / ofCase.length)
  const named = verdicts.map(ofCase => ofCase.filter(({ isNamed }) => isNamed).length / ofCase.length)
  const percent = (/** @type {number} */ share) => `${(share * 100).toFixed(0)} %`
  const wrong = verdicts[0].filter(({ isNamed }) => !isNamed)
  return {
    question: 'Are stalls found, and is their culprit named?',
    method: METHOD,
    table: {
      columns: ['case', 'stalls', 'found', 'culprit named'],
      rows: CASES.map((name, index) => [name, verdicts[index].length, percent(found[index]), percent(named[index])])
    },
    notes: wrong.map(({ culprit, named }) => `Missed by loopscope: \`${culprit}\`, reported as ${named.length === 0 ? 'nothing' : named.map(name => `\`${name}\``).join(', ')}.`),
    budgets: [
      { budget: 'ours finds every stall', measured: percent(found[0]), isMet: found[0] === 1 },
      { budget: `and names the culprit of ${percent(MIN_NAMED_SHARE)}`, measured: percent(named[0]), isMet: named[0] >= MIN_NAMED_SHARE }
    ]
  }
}

module.exports = { measure }
