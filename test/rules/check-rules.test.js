'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { resolveOptions } = require('../../lib/api/options/resolve-options')
const { FINDING_IDS } = require('../../lib/shared/rules/conditions')
const { DETECTORS } = require('../../lib/observer/findings/detectors')
const { checkRules } = require('../../lib/api/options/check-rules')
const { makeScratch } = require('../store/scratch')

const LOG = [{ log: 'warn' }]

test('a rule has its defaults, and limits that are safe', () => {
  const [rule] = checkRules('rules', [{ when: { stallMs: 1000 }, do: LOG }])
  assert.deepEqual(rule, {
    name: 'rules[0]',
    when: { stallMs: 1000 },
    withinSeconds: 60,
    forSeconds: 0,
    do: LOG,
    limit: { coolDownSeconds: 600, perDay: 10, perCulpritPerDay: 3, highWaterMark: false, everyNth: 1 }
  })
})

for (const [place, rule] of Object.entries({
  'rules[0]': 'stall',
  'rules[0].name': { name: 'a\nb', when: { stallMs: 1000 }, do: LOG },
  'rules[0].when': { when: {}, do: LOG },
  'rules[0].when.stallMs': { when: { stallMs: '1s' }, do: LOG },
  'rules[0].when.stallSeconds': { when: { stallSeconds: 1 }, do: LOG },
  'rules[0].when.blockedShare': { when: { blockedShare: 1.5 }, do: LOG },
  'rules[0].when.finding': { when: { finding: 'nothing-wrong' }, do: LOG },
  'rules[0].forSeconds': { when: { stallMs: 1000 }, forSeconds: 5, do: LOG },
  'rules[0].withinSeconds': { when: { stallCount: 5 }, withinSeconds: 5, do: LOG },
  'rules[0].for': { when: { stallMs: 1000 }, for: 5, do: LOG },
  'rules[0].do': { when: { stallMs: 1000 }, do: [] },
  'rules[0].do[0]': { when: { stallMs: 1000 }, do: [{ capture: 'cpu', log: 'warn' }] },
  'rules[0].do[1]': { when: { stallMs: 1000 }, do: [...LOG, { capture: 'cpu', last: -1 }] },
  'rules[0].do[2]': { when: { stallMs: 1000 }, do: [...LOG, ...LOG, { push: true }, { capture: 'cpu' }] },
  'rules[0].do[1].push': { when: { stallMs: 1000 }, do: [{ capture: 'cpu' }, { push: 'yes' }] },
  'rules[0].do[0].log': { when: { stallMs: 1000 }, do: [{ log: 'fatal' }] },
  'rules[0].do[0].timeout': { when: { stallMs: 1000 }, do: [{ webhook: 'https://example.com', timeout: 1 }] },
  'rules[0].do[0].headers.host': { when: { stallMs: 1000 }, do: [{ webhook: 'https://example.com', headers: { host: 'other' } }] },
  'rules[0].limit.perDay': { when: { stallMs: 1000 }, do: LOG, limit: { perDay: 0 } },
  'rules[0].limit.highWaterMark': { when: { stallMs: 1000 }, do: LOG, limit: { highWaterMark: true } }
})) {
  test(`an error names the place: ${place}`, () => {
    assert.throws(() => checkRules('rules', [rule]), error => /^ERR_LOOPSCOPE_/.test(error.code) && new RegExp(`^${place.replace(/[[\].]/g, '\\$&')}[ :]`).test(error.message))
  })
}

test('two rules of one name are refused', () => {
  assert.throws(() => checkRules('rules', [{ name: 'a', when: { stallMs: 1000 }, do: LOG }, { name: 'a', when: { stallCount: 1 }, do: LOG }]), { message: /^rules\[1\]\.name must be a name of its own/ })
})

test('what may be a secret is in no error', () => {
  for (const action of ['https://secret', { webhook: 'ftp://secret' }, { webhook: 'https://user:secret@example.com' }, { webhook: 'https://example.com', headers: { 'x-key': 'secret\n' } }]) {
    assert.throws(() => checkRules('rules', [{ when: { stallMs: 1000 }, do: [action] }]), error => !error.message.includes('secret'))
  }
  assert.throws(() => resolveOptions({}, { LOOPSCOPE_RULES: '[{"do":[{"webhook":"https://secret"}]' }), { message: /^LOOPSCOPE_RULES must be a list of rules as JSON, got '.*position 37'$/ })
  assert.throws(() => resolveOptions({}, { LOOPSCOPE_RULES: '[{"do":[{"webhook":"https://secret"}]' }), error => !error.message.includes('secret'))
})

test('rules come from a variable as JSON, or from a file of JSON', t => {
  const rules = [{ when: { stallMs: 1000 }, do: LOG }]
  const file = path.join(makeScratch(t), 'rules.json')
  fs.writeFileSync(file, JSON.stringify(rules))
  const passed = resolveOptions({ rules }, {}).rules
  for (const text of [JSON.stringify(rules), file]) assert.deepEqual(resolveOptions({}, { LOOPSCOPE_RULES: text }).rules, passed)
  assert.deepEqual(passed, checkRules('options.rules', rules))
  assert.throws(() => resolveOptions({}, { LOOPSCOPE_RULES: `${file}.none` }), { code: 'ERR_LOOPSCOPE_INVALID_OPTION', message: /^LOOPSCOPE_RULES .*ENOENT/ })
})

test('a stall that is none cannot be waited for', () => {
  assert.throws(() => resolveOptions({ stallThresholdMs: 200, rules: [{ when: { stallMs: 150 }, do: LOG }] }, {}), { message: 'options.rules[0].when.stallMs must be at least options.stallThresholdMs (200), got 150' })
})

test('a rule can wait for every finding that something is wrong', () => {
  const said = DETECTORS.flatMap(({ ids }) => ids)
  assert.deepEqual([...FINDING_IDS].sort(), [...new Set(said)].sort())
})
