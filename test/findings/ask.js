'use strict'

// Asks real processes for their findings, on a machine that has time for them.

const assert = require('node:assert/strict')
const { diagnose, lineOf } = require('./sick')
const { quietMachine } = require('../runner/quiet-machine')

/** On a machine that others keep busy all processes are starved, and say so: that is true, and not what is asked here. */
const meant = ({ isCrowded, findings }, id) => isCrowded && id !== 'starved' ? findings.filter(finding => finding.id !== 'starved') : findings

const show = ({ findings }) => findings.map(({ id, severity, title }) => `${severity} ${id}: ${title}`).join('\n')

const TRIES = 5

/** A process that others kept from its processor did not do what it was to be caught at: another one is asked. */
async function ask (t, row, check) {
  for (let left = TRIES; ; left--) {
    await quietMachine(t)
    const answer = await diagnose(t, row)
    try {
      return check(answer)
    } catch (error) {
      if (left === 1 || !answer.isCrowded) throw error
    }
  }
}

/** The first finding is the right one. */
function findsFault (t, row) {
  return ask(t, row, answer => {
    const [first] = meant(answer, row.id).filter(({ id }) => id !== row.beside)
    assert.ok(first, show(answer))
    assert.equal(first.id, row.id, show(answer))
    assert.match(`${first.title} ${first.what}`, row.text)
    const line = lineOf(row)
    if (line !== undefined && first.id.startsWith('hot-') && first.id !== 'hot-logging') {
      assert.deepEqual([first.where?.file.split('/').at(-1), first.where?.line], [`${row.app ?? row.name}.js`, line], show(answer))
    }
  })
}

module.exports = { ask, findsFault, meant, show }
