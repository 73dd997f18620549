'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { admit, isChosen } = require('../../lib/shared/rules/limits')
const { ruleOf } = require('./readings')

const START = Date.UTC(2026, 10, 20)
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** For each firing null, or the limit that refuses it. */
function ask (limit, firings) {
  const rule = ruleOf({ when: { blockedShare: 0.1 }, limit })
  let kept = {}
  return firings.map(({ minute = 0, culprit = 'a', value = 1 }) => {
    const { refusal, state } = admit(kept, rule, { at: START + minute * MINUTE, culprit, value })
    kept = state ?? kept
    return refusal === null ? null : refusal.reason
  })
}

test('a rule cools down for each culprit', () => {
  assert.deepEqual(ask({}, [{}, { minute: 9 }, { minute: 9, culprit: 'b' }, { minute: 10 }]), [null, 'coolDownSeconds', null, null])
})

test('a culprit has its number a day, and the rule has one for all of them', () => {
  const hourly = Array.from({ length: 4 }, (_, hour) => ({ minute: hour * 60 }))
  assert.deepEqual(ask({}, [...hourly, { minute: 240, culprit: 'b' }]), [null, null, null, 'perCulpritPerDay', null])
  const many = Array.from({ length: 12 }, (_, index) => ({ minute: index, culprit: String(index) }))
  assert.deepEqual(ask({}, many).map(reason => reason ?? 'did'), [...Array(10).fill('did'), 'perDay', 'perDay'])
})

test('a day later all of that is forgotten', () => {
  assert.deepEqual(ask({ perDay: 1 }, [{}, { minute: 60 }, { minute: DAY / MINUTE }]), [null, 'perDay', null])
})

test('with a high-water mark only what is worse counts, until it is forgotten', () => {
  const limit = { coolDownSeconds: 1, perCulpritPerDay: 100, highWaterMark: true }
  const firings = [{ value: 5 }, { minute: 1, value: 5 }, { minute: 2, value: 6 }, { minute: 19, value: 5 }, { minute: 23, value: 5 }]
  assert.deepEqual(ask(limit, firings), [null, 'highWaterMark', null, 'highWaterMark', null])
})

test('a refusal says until when', () => {
  const rule = ruleOf({ when: { blockedShare: 0.1 } })
  const { state } = admit({}, rule, { at: START, culprit: '', value: 1 })
  assert.deepEqual(admit(state, rule, { at: START + 1, culprit: '', value: 1 }).refusal, { reason: 'coolDownSeconds', untilMs: START + 10 * MINUTE })
})

test('an act that is dated in the future silences nothing, and is forgotten', () => {
  const rule = ruleOf({ when: { blockedShare: 0.1 }, limit: { perDay: 2 } })
  for (const aheadMs of [2 * MINUTE, 60 * MINUTE, DAY, 1e4 * DAY]) {
    const kept = { [rule.name]: [{ at: START + aheadMs, culprit: '', value: 1e9 }, { at: START + aheadMs, culprit: 'b', value: 1 }], gone: [{ at: START + aheadMs, culprit: '', value: 1 }] }
    const { refusal, state } = admit(kept, rule, { at: START, culprit: '', value: 1 })
    assert.deepEqual([refusal, state], [null, { [rule.name]: [{ at: START, culprit: '', value: 1 }] }])
  }
  const { refusal } = admit({ [rule.name]: [{ at: START + 1, culprit: '', value: 1 }] }, rule, { at: START, culprit: '', value: 1 })
  assert.equal(refusal.reason, 'coolDownSeconds', 'another process wrote while this one made up its mind')
})

test('what rules did that are gone is not kept for ever', () => {
  const { state } = admit({ gone: [{ at: START - DAY, culprit: '', value: 1 }], other: [{ at: START - 1, culprit: '', value: 1 }] }, ruleOf({ when: { stallCount: 1 } }), { at: START, culprit: '', value: 1 })
  assert.deepEqual(Object.keys(state).sort(), ['other', 'rules[0]'])
})

test('about every n-th process of a fleet is chosen, and always the same', () => {
  const pods = Array.from({ length: 1000 }, (_, index) => `pod-${index} 1`)
  const chosen = pods.filter(pod => isChosen(10, pod))
  assert.ok(chosen.length > 50 && chosen.length < 200, String(chosen.length))
  assert.deepEqual(pods.filter(pod => isChosen(10, pod)), chosen)
  assert.equal(pods.filter(pod => isChosen(1, pod)).length, 1000)
})
