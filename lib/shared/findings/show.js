'use strict'

// Formats findings as text for a terminal and as Markdown for an issue, both with the same content in the same order; of one process, or of a
// group with the processes that each finding applies to. Pure.

const { localTime } = require('../../base/local-time')
const { formatEvidence, predictionText } = require('./details')
const { NOTABLE_WORKERS } = require('./readings')
const { duration, megabytes, percent, placed, rounded, times } = require('./format-text')

/** @import { Again, Finding, Findings } from '../../../types/findings' */
/** @import { GroupFindings } from '../../../types/group' */

/**
 * @typedef {object} Shown  a finding in pieces, for callers that add colors
 * @property {string} label   the severity as people read it
 * @property {string} title
 * @property {{ text: string, isCommand: boolean }[]} lines  isCommand: it is there to be copied, and must not be wrapped
 */

const ENDED_MS = 3000

const LABELS = Object.freeze({ critical: 'CRITICAL', warning: 'WARNING', info: 'NOTE', none: 'OK' })
const INDENT = '   '
const NAME_WIDTH = 9
/** The columns before the text of a line. */
const NAME_COLUMNS = INDENT.length + NAME_WIDTH

const MAX_PIDS = 10

/**
 * @param {Pick<Finding, 'severity' | 'over'>} finding
 * @returns {string} as people read it; with its time if it is over
 */
function labelOf ({ severity, over }) {
  if (!over) return LABELS[severity] // earlier versions do not send it
  const [from, to] = [over.from, over.to].map(timeOfDay)
  return `EARLIER, ${from === to ? `at ${from}` : `${from} to ${to}`}`
}

/** @param {number} atMs  epoch */
function timeOfDay (atMs) {
  return localTime(atMs).split(' ')[1]
}

/** @param {Pick<Findings, 'observedSeconds' | 'figures' | 'blockedMs' | 'isStale'> & Partial<Pick<Findings, 'at' | 'observed'>> & ({ name: string } | { appName: string, pid: number })} answer */
function headline ({ observedSeconds, figures, blockedMs, isStale, at, observed, ...who }) {
  const { utilization, longestStallMs, stalls, delayP99Ms, requestsPerSecond, workers } = figures
  const facts = [
    utilization === null ? null : `utilization ${percent(utilization)}`,
    ...(workers !== null && workers >= NOTABLE_WORKERS ? [`worker threads ${percent(workers)} of a CPU`] : []),
    stalls === 0 ? 'no stall' : `${times(stalls, 'stall')} of up to ${duration(longestStallMs)}`,
    delayP99Ms === undefined || delayP99Ms === null ? null : `delay p99 ${duration(delayP99Ms)}`,
    requestsPerSecond === null ? null : `${requestsPerSecond} requests/s`,
    blockedMs > 0 ? `blocked now for ${duration(blockedMs)}` : null
  ].filter(fact => fact !== null)
  const stale = isStale ? ' (the event loop does not answer: some figures are missing or outdated)' : ''
  const name = 'name' in who ? who.name : `${who.appName} (pid ${who.pid})`
  // The observed time ends before the idle time.
  const when = at !== undefined && observed && at - observed.to > ENDED_MS ? ` (${timeOfDay(observed.from)} to ${timeOfDay(observed.to)})` : ''
  return `${name}, observed ${rounded(observedSeconds)} s${when}: ${facts.join(', ')}${stale}`
}

/** @param {Omit<Finding, 'id'> & { id: string }} finding @returns {{ name: string, text: string }[]} */
function parts ({ id, where, what, why, instead, evidence, confidence, next, prediction, again }) {
  const figures = formatEvidence(evidence, { duration, bytes: megabytes }).map(({ name, text }) => `${name} ${text}`)
  return [
    { name: 'where', text: where === null ? '' : [placed(where), where.route].filter(Boolean).join(', ') },
    { name: 'what', text: what },
    { name: 'why', text: why },
    { name: 'fix', text: instead },
    { name: 'again', text: againText(again) },
    { name: 'effect', text: predictionText(prediction) },
    { name: 'evidence', text: `${figures.join(', ')}; confidence ${confidence} (${id})` },
    { name: 'next', text: next.join('\n') }
  ].filter(({ text }) => text !== '')
}

/** @param {Again | null | undefined} again  earlier versions do not send it */
function againText (again) {
  if (!again) return ''
  const { mark, markedAt, lastBefore, firstAfter } = again
  return `it was there before "${mark}" (${timeOfDay(markedAt)}), last at ${timeOfDay(lastBefore)}, and is again since ${timeOfDay(firstAfter)}`
}

/**
 * @typedef {{ findings: (Omit<Finding, 'id'> & { id: string })[] }} Answer  of one process, or of several
 *
 * @param {Answer} answer
 * @returns {Shown[]}
 */
function inPieces ({ findings }) {
  return findings.map(finding => ({
    label: labelOf(finding),
    title: finding.title,
    lines: parts(finding).flatMap(({ name, text }) => text.split('\n').map((line, index) => {
      return { text: `${INDENT}${(index === 0 ? name : '').padEnd(NAME_WIDTH)}${line}`, isCommand: name === 'next' }
    }))
  }))
}

/**
 * @param {Answer} answer
 * @param {string} [head]  of which process or group
 * @returns {string}
 */
function toText (answer, head = headline(/** @type {Findings} */ (answer))) {
  const found = inPieces(answer).flatMap(({ label, title, lines }, index) => ['', `${index + 1}. ${label}: ${title}`, ...lines.map(({ text }) => text)])
  return [head, ...found, ''].join('\n')
}

/**
 * @param {Answer} answer
 * @param {string} [head]  of which process or group
 * @returns {string}
 */
function toMarkdown (answer, head = headline(/** @type {Findings} */ (answer))) {
  const found = answer.findings.flatMap((finding, index) => [
    '',
    `## ${index + 1}. ${labelOf(finding)}: ${finding.title}`,
    '',
    ...parts(finding).flatMap(part => markdownOf(part))
  ])
  return [`# ${head}`, ...found, ''].join('\n')
}

/** @param {{ name: string, text: string }} part */
function markdownOf ({ name, text }) {
  if (name === 'next') return [`* **${name}**:`, '', '  ```sh', ...text.split('\n').map(line => `  ${line}`), '  ```']
  return [`* **${name}**: ${name === 'where' ? `\`${text}\`` : text}`]
}

/** @param {GroupFindings} answer @param {string} whole  which processes the group has, as text */
function groupHeadline ({ group, observedSeconds, figures, blocked }, whole) {
  const stuck = blocked.length === 0 ? '' : `, ${blocked.length === 1 ? '1 process' : `${blocked.length} processes`} blocked now (${pidsOf(blocked.map(({ pid }) => pid))})`
  const ofAll = headline({ name: `group ${group}`, observedSeconds, figures, blockedMs: 0, isStale: false })
  return `${ofAll}${stuck}\n${whole}`
}

/** @param {readonly number[]} pids */
function pidsOf (pids) {
  const shown = pids.slice(0, MAX_PIDS).join(', ')
  return `${pids.length === 1 ? 'pid' : 'pids'} ${shown}${pids.length > MAX_PIDS ? ', …' : ''}`
}

/** With the pids in the titles. @param {GroupFindings} answer */
function titled ({ findings }) {
  return {
    findings: findings.map(finding => {
      const { title, id, workers: { pids, of } } = finding
      return id === 'hot-worker' ? finding : { ...finding, title: `${title.replace(/\.$/, '')}, in ${pids.length} of ${of} workers (${pidsOf(pids)})` }
    })
  }
}

/** @param {GroupFindings} answer @param {string} whole */
function toGroupText (answer, whole) {
  return toText(titled(answer), groupHeadline(answer, whole))
}

/** @param {GroupFindings} answer @param {string} whole */
function toGroupMarkdown (answer, whole) {
  return toMarkdown(titled(answer), groupHeadline(answer, whole).replace('\n', '\n\n'))
}

module.exports = { groupHeadline, headline, inPieces, labelOf, LABELS, NAME_COLUMNS, titled, toGroupMarkdown, toGroupText, toMarkdown, toText }
