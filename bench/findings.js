'use strict'

// What do findings cost while nobody asks for them, and what does an answer cost?

const { setTimeout: sleep } = require('node:timers/promises')
const { withChildren } = require('./harness/child')
const { differences, isAtMost, show, summarize } = require('./harness/statistics')

const CASES = Object.freeze(['never asked', 'asked before'])
const SETTLE_MS = 60_000 // what an answer looks at
const ROUND_MS = 10_000 // two windows of the recorder: every round pays for the same number of rotations
const MAX_PERCENT = 0.2 // of one core: below what two processes of the same code differ by

const METHOD = 'Two processes with 5 ms of work every 50 ms run side by side for a minute and then round by round: before each round one of them is asked what is wrong with it, and ' +
  'the other never is. Each round reads the CPU time of all threads over the same ten seconds that follow. Then both stop working and are asked, one answer at a time: what an ' +
  'answer takes of all threads, and of the main thread.'

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  return withChildren('findings', CASES.map(() => []), async children => {
    for (const child of children) await child.ask('work', true)
    await sleep(quick ? ROUND_MS : SETTLE_MS)
    const percents = await betweenQuestions(children, quick ? 1 : 6, progress)
    for (const child of children) await child.ask('work', false)
    /** @type {{ cpuMs: number, mainMs: number }[]} */
    const answers = []
    for (let round = 0; round < (quick ? 1 : 5); round++) {
      for (const child of children) answers.push(await child.ask('question'))
      await sleep(1000) // who asks at once is given the same answer
    }
    return report(percents, answers)
  })
}

/**
 * @param {{ ask (question: string): Promise<any> }[]} children  by case
 * @param {number} rounds
 * @param {(text: string) => void} progress
 */
async function betweenQuestions (children, rounds, progress) {
  /** @type {number[][]} */
  const percents = CASES.map(() => [])
  for (let round = 0; round < rounds; round++) {
    await children[1].ask('question')
    for (const child of children) await child.ask('begin')
    await sleep(ROUND_MS)
    for (const [index, child] of children.entries()) percents[index].push(await child.ask('cpuPercent'))
    progress(`round ${round + 1} of ${rounds}: ${CASES.map((name, index) => `${name} ${percents[index][round].toFixed(2)} %`).join(', ')}`)
  }
  return percents
}

/**
 * @param {number[][]} percents  by case and round
 * @param {{ cpuMs: number, mainMs: number }[]} answers
 */
function report (percents, answers) {
  const more = differences(percents[1], percents[0])
  return {
    question: 'What do findings cost?',
    method: METHOD,
    table: {
      columns: ['case', 'CPU, % of one core', 'more than never asked'],
      rows: CASES.map((name, index) => [name, show(summarize(percents[index]), 2), show(differences(percents[index], percents[0]), 2)])
    },
    notes: [`an answer takes ${show(summarize(answers.map(({ cpuMs }) => cpuMs)), 0)} ms of CPU, all threads together, of which ` +
      `${show(summarize(answers.map(({ mainMs }) => mainMs)), 1)} ms on the main thread`],
    budgets: [{ budget: `between questions at most ${MAX_PERCENT} % of a core`, measured: `${show(more, 2)} %`, isMet: isAtMost(more, MAX_PERCENT) }]
  }
}

module.exports = { measure }
