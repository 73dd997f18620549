'use strict'

// What the processes of a group answered, taken one by one: who sent nothing that can be used keeps nobody else's part. Between two of them
// others have their turn, since a part takes tens of milliseconds to read and to merge.

const { setImmediate: othersTurn } = require('node:timers/promises')

const { readAnswer } = require('./answers')

/** @import { AnswerKind } from './answers' */
/** @import { GroupAnswer } from './ask-group' */
/** @import { Member } from './members' */

const MAX_NAMED = 8

/** @typedef {{ process: string, problem: string | null }} Asked  process: its name in what was merged; problem: why it is not in it */

/**
 * @param {readonly GroupAnswer[]} answers
 * @param {AnswerKind} kind
 * @param {(part: { process: string, content: any }) => void} take  throws where the content is not what was asked for
 * @returns {Promise<Asked[]>} in the order of the answers
 */
async function readParts (answers, kind, take) {
  const nameOf = namesOf(answers.map(({ member }) => member))
  /** @type {Asked[]} */
  const asked = []
  for (const answer of answers) {
    const process = nameOf(answer.member)
    const { value, problem } = readAnswer(answer, kind)
    asked.push({ process, problem: problem ?? takeOne(() => take({ process, content: value })) })
    await othersTurn()
  }
  return asked
}

/** @param {() => void} take */
function takeOne (take) {
  try {
    take()
    return null
  } catch (error) {
    return `its answer cannot be read: ${/** @type {Error} */ (error).message}`
  }
}

/**
 * A process is called by its pid; where two containers share a directory of sockets, two may have the same.
 * @param {readonly Member[]} members
 * @returns {(member: Member) => string}
 */
function namesOf (members) {
  return ({ id, pid }) => members.some(other => other.pid === pid && other.id !== id) ? id : String(pid)
}

/**
 * @param {readonly Asked[]} asked
 * @returns {{ answered: number, all: number, notes: string[] }} notes: for a person, who is not in it and why
 */
function describeAsked (asked) {
  const missing = asked.filter(({ problem }) => problem !== null)
  const notes = missing.slice(0, MAX_NAMED).map(({ process, problem }) => `without process ${process}: ${problem}`)
  if (missing.length > MAX_NAMED) notes.push(`and without ${missing.length - MAX_NAMED} more`)
  return { answered: asked.length - missing.length, all: asked.length, notes }
}

module.exports = { describeAsked, namesOf, readParts }
