'use strict'

// What an application in a framework is asked for where the recorder's answers are read over the admin listener: a stall that is
// reported with route and culprit, and a profile of it.

const assert = require('node:assert/strict')
const { eventually } = require('./environment')

const TOKEN = 'a-token-of-thirty-two-characters'

/** The variables that the application is started with. */
const OBSERVED = { LOOPSCOPE_TOKEN: TOKEN, LOOPSCOPE_ADMIN_LISTEN: '127.0.0.1:0' }

/**
 * @param {object} app  which says `listening`, with its port
 * @param {(pattern: RegExp) => Promise<any>} app.until
 * @param {(pattern: RegExp) => any[]} app.said
 * @param {{ path?: string, route?: string | null, ask?: (port: number) => Promise<unknown>, isExpected?: (stall: any) => boolean }} [expected]  what is asked for, the route
 *   that is reported of it, and what else a report has once the source map has been read
 */
async function observe ({ until, said }, { path = '/stall/4711', route = 'GET /stall/:id', isExpected = () => true, ask = port => fetch(`http://127.0.0.1:${port}${path}`).then(response => response.text()) } = {}) {
  const { port } = await until(/^listening$/)
  const { url } = await until(/^diagnostics at http/)
  const profile = async () => {
    const response = await fetch(`${url}cpu?last=30&format=text`, { headers: { authorization: `Bearer ${TOKEN}` } })
    const text = await response.text()
    return response.ok ? text : null
  }
  // A function that ran for long before the recorder does may be optimised then, and V8 never tells it apart.
  await eventually(profile)
  // A machine that others keep busy adds stalls of its own, and may hide ours from the observer: it is asked for again.
  const line = await eventually(async () => {
    await ask(port)
    return said(/^event loop stalled/).find(({ stall }) => stall.culprit?.function === 'blockForAWhile' && stall.route === route && isExpected(stall))
  }, () => said(/./).map(({ msg, stall }) => `${msg} ${JSON.stringify(stall?.culprit ?? '')}`).join('\n'))
  assert.match(await eventually(profile), /blockForAWhile/)
  return { port, stall: line.stall }
}

module.exports = { OBSERVED, observe }
