'use strict'

// Stalls of real packages and habits, and what is said of each: that it was found, once, and whether route, culprit, line, call, via,
// cause and duration are true. The cases are a table (cases.js).

const test = require('node:test')
const assert = require('node:assert/strict')
const { quietMachine } = require('../runner/quiet-machine')
const { CASES } = require('./cases')
const { FIELDS, judge } = require('./judge')
const { run } = require('./running')
const { GROUPS, install, missing } = require('./services')
const { speedOfMachine } = require('./speed')
const { makeScratch } = require('../store/scratch')

// The fields that may be wrong in one case of sixty; of the others the score is shown.
const ASSERTED = ['route', 'culprit', 'line', 'via', 'cause', 'duration']
const CASES_PER_FAULT = 60

// What is wrong may be the machine's fault, so it is asked again, at most so often; where others kept the application from a
// processor then too, nothing is asserted but that it was found.
const AGAIN = 2

const cases = CASES.filter(({ lacks = false }) => !lacks)

/** @typedef {import('./cases').Case} Case */
/** @type {Map<Case, { found: import('./judge').Found, wrong: ReturnType<typeof judge> }>} */
const results = new Map()

test('stalls in real packages have the right culprit', { skip: missing }, async t => {
  const root = makeScratch(t)
  await quietMachine(t)
  const speed = speedOfMachine()
  for (let round = 0, left = cases; round <= AGAIN && left.length > 0; round++, left = cases.filter(isToBeAskedAgain)) {
    await askAll(t, root, left, { speed, title: round === 0 ? 'asks' : 'asks again' })
    t.diagnostic(`round ${round + 1}: ${score()}`)
  }
  for (const one of cases) await t.test(`${one.group}: ${one.name}`, () => wasFoundOnce(one))
  for (const field of FIELDS) showWrong(t, field)
  for (const field of ASSERTED) await t.test(`the ${field} is true`, () => isTrue(field))
})

/**
 * @param {import('node:test').TestContext} t
 * @param {string} root
 * @param {Case[]} left
 * @param {{ speed: number, title: string }} how
 */
async function askAll (t, root, left, { speed, title }) {
  for (const group of Object.keys(GROUPS)) {
    const ofGroup = left.filter(one => one.group === group)
    if (ofGroup.length === 0) continue
    await t.test(`${title} ${group}`, async ofThis => {
      const service = install(root, group)
      await quietMachine(t)
      const app = await run(ofThis, service)
      await app.warmUp(ofGroup[0], speed)
      const all = []
      for (const one of ofGroup) all.push({ one, found: await app.stall(one, speed) })
      for (const { one, found } of all) results.set(one, { found, wrong: judge(one, found, app.stallsOf(found)) })
    })
  }
}

/** @param {Case} one */
function isToBeAskedAgain (one) {
  const { found, wrong } = results.get(one) ?? {}
  return found === undefined || wrong === undefined || !found.isLong || ['found', ...ASSERTED].some(field => wrong[field] !== undefined)
}

/** @param {Case} one */
function wasFoundOnce (one) {
  const result = results.get(one)
  assert.ok(result, 'it was not asked for')
  assert.ok(result.found.isLong, `it blocked for ${Math.round(result.found.longestMs)} ms only, with a size of ${result.found.size}`)
  assert.equal(result.wrong.found?.got, undefined, 'it was to be found once')
}

/**
 * @param {string} field
 * @param {(found: import('./judge').Found) => boolean} [counts]
 */
function wrongOf (field, counts = () => true) {
  return [...results].flatMap(([{ group, name }, { found, wrong: { [field]: wrong } }]) =>
    wrong === undefined || !counts(found) ? [] : [`${group}: ${name}: wanted ${wrong.wanted}, got ${wrong.got}`])
}

function score () {
  const right = (/** @type {string} */ field) => `${field} ${cases.length - wrongOf(field).length}`
  const disturbed = [...results.values()].filter(({ found }) => found.isDisturbed).length
  return `of ${cases.length} cases right: ${['found', ...FIELDS].map(right).join(', ')}; disturbed by others: ${disturbed}`
}

/**
 * @param {import('node:test').TestContext} t
 * @param {string} field
 */
function showWrong (t, field) {
  for (const text of wrongOf(field)) t.diagnostic(`wrong ${field}: ${text}`)
}

/** @param {string} field */
function isTrue (field) {
  const wrong = wrongOf(field, ({ isDisturbed }) => !isDisturbed)
  assert.ok(wrong.length <= cases.length / CASES_PER_FAULT, `${wrong.length} of ${cases.length} are wrong:\n${wrong.join('\n')}`)
}
