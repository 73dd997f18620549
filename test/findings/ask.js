'use strict'

// Asks real processes for their findings, on a machine that has time for them.

const { diagnose } = require('./sick')
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

module.exports = { ask, meant, show }
