'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { parseTraceparent, toTrace } = require('../../lib/probe/trace-of')

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

test('a header traceparent is read as W3C Trace Context has it', () => {
  assert.deepEqual(parseTraceparent(`00-${TRACE}-${SPAN}-01`), { traceId: TRACE, spanId: SPAN })
  assert.deepEqual(parseTraceparent(`00-${TRACE}-${SPAN}-00`), { traceId: TRACE, spanId: SPAN }, 'not sampled')
})

test('a later version may add to it, and the first may not', () => {
  assert.deepEqual(parseTraceparent(`cc-${TRACE}-${SPAN}-01`), { traceId: TRACE, spanId: SPAN })
  assert.deepEqual(parseTraceparent(`cc-${TRACE}-${SPAN}-01-what-comes`), { traceId: TRACE, spanId: SPAN })
  assert.equal(parseTraceparent(`cc-${TRACE}-${SPAN}-01.more`), null)
  assert.equal(parseTraceparent(`00-${TRACE}-${SPAN}-01-more`), null)
  assert.equal(parseTraceparent(`00-${TRACE}-${SPAN}-01-`), null)
})

for (const [title, header] of [
  ['no header', undefined],
  ['an empty one', ''],
  ['several headers', [`00-${TRACE}-${SPAN}-01`]],
  ['several in one line', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
  ['an invalid version', `ff-${TRACE}-${SPAN}-01`],
  ['capital letters', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['a span id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['a short trace id', `00-${TRACE.slice(1)}-${SPAN}-01`],
  ['a long span id', `00-${TRACE}-${SPAN}0-01`],
  ['no flags', `00-${TRACE}-${SPAN}`],
  ['flags of one digit', `00-${TRACE}-${SPAN}-1`],
  ['no hexadecimal digits', `00-${'g'.repeat(32)}-${SPAN}-01`],
  ['a break of the line', `00-${TRACE}-${SPAN}-01\n`],
  ['spaces around it', ` 00-${TRACE}-${SPAN}-01 `]
]) {
  test(`${title} is no trace`, () => assert.equal(parseTraceparent(header), null))
}

test('ids of a span are held against the same rules', () => {
  assert.deepEqual(toTrace(TRACE, SPAN), { traceId: TRACE, spanId: SPAN })
  assert.equal(toTrace('0'.repeat(32), '0'.repeat(16)), null, 'of a span that is none')
  assert.equal(toTrace(undefined, 7), null)
})
