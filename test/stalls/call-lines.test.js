'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { isDeepStrictEqual } = require('node:util')
const { describeStall } = require('../../lib/shared/stalls/stall-line')
const { start, FOLDER } = require('./started')

const FILE = 'call-lines.js'
const SOURCE = fs.readFileSync(path.join(FOLDER, FILE), 'utf8').split('\n')
const lineOf = route => SOURCE.findIndex(text => text.endsWith(`// ${route}`)) + 1

const CASES = {
  '/report': { function: '(anonymous)', call: 'JSON.stringify', via: { package: 'express', function: 'res.json', through: null } },
  '/token': { function: 'issueToken', via: { package: 'jsonwebtoken', function: 'sign', through: ['jws', 'jwa'] } }, // the text of the token, or its hash
  '/names': { function: 'sortNames', call: 'Array.sort', via: null },
  '/login': { function: 'hashPassword', call: 'pbkdf2Sync', via: null },
  '/mix': { function: 'mixAll', via: null }
}

/** As the report has it; no call is told where the case says nothing of it. */
function inShort (culprit, wanted) {
  if (culprit === null) return null
  const { function: name, file, line, call, via } = culprit
  const isOneOf = Array.isArray(wanted.via?.through) && wanted.via.through.includes(via?.through?.package)
  return { function: name, file, line, via: isOneOf ? { ...via, through: wanted.via.through } : via, ...('call' in wanted && { call }) }
}

// Of the other version what it does itself: the rest is nothing of its.
for (const [express, only] of [['express', undefined], ['express4', '/report']]) {
  test(`the line is that of the call, with the dependency and the builtin behind it (${express})`, async t => {
    const app = await start(t, FILE, { args: only && ['plain', only], env: { EXPRESS: express } })
    const cases = Object.entries(CASES).filter(([route]) => only === undefined || route === only)
    for (const [route] of cases) await app.get(route) // the reports come meanwhile
    const asked = new Set(cases.map(([route]) => route))
    for (const [route, wanted] of cases) {
      const expected = { file: FILE, line: lineOf(route), ...wanted, ...(wanted.via?.package === 'express' && { via: { package: express, function: 'res.json', through: null } }) }
      const stall = await stallOf(app, route, expected, asked)
      assert.deepEqual(inShort(stall.culprit, wanted), expected, JSON.stringify(stall))
      assert.ok(stall.culprit.functionLine < stall.culprit.line)
      const shown = wanted.function === '(anonymous)' ? '(anonymous) GET handler' : wanted.function
      assert.ok(describeStall(stall).includes(`${shown} (${FILE}:`), describeStall(stall))
    }
  })
}

test('what the application has done to Error changes nothing', async t => {
  const app = await start(t, FILE, { args: ['hostile', '/names'] })
  const expected = { file: FILE, line: lineOf('/names'), ...CASES['/names'] }
  const { culprit } = await stallOf(app, '/names', expected)
  assert.deepEqual(inShort(culprit, expected), expected)
})

test('where Error is frozen the report comes from the samples alone', async t => {
  const app = await start(t, FILE, { args: ['frozen', '/login'] })
  const { culprit } = await stallOf(app, '/login', { function: 'hashPassword' })
  assert.deepEqual([culprit.function, culprit.file, culprit.call], ['hashPassword', FILE, 'pbkdf2Sync'])
})

// A busy machine leaves a stall without one telling sample or stack. One that mostly waited for a CPU, of which little was seen, is no try.
const MAX_TRIES = 5

/** @param {Set<string>} [asked]  routes whose stall is on its way */
async function stallOf (app, route, expected, asked = new Set()) {
  for (let tries = 0; ;) {
    const before = asked.has(route) ? 0 : app.stalls.length
    const stall = await app.stallOf(() => asked.delete(route) || app.get(route), stall => stall.route === `GET ${route}` && app.stalls.indexOf(stall) >= before)
    const short = inShort(stall.culprit, expected)
    const isAsExpected = short !== null && Object.entries(expected).every(([name, value]) => isDeepStrictEqual({ ...stall.culprit, ...short }[name], value))
    if (stall.cause !== 'starved') tries++
    if (isAsExpected || tries >= MAX_TRIES) return stall
  }
}
