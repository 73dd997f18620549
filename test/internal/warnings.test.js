'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { WARNINGS, forgetWarnings, warnOnce } = require('../../lib/base/warnings')

function createLogger () {
  const logger = { lines: [], warn: (fields, message) => logger.lines.push({ fields, message }) }
  return logger
}

test.beforeEach(forgetWarnings)

test('a warning is logged once, with its code and what it is about', () => {
  const logger = createLogger()
  warnOnce(logger, 'LOOPSCOPE_WARN_ROUTE_LIMIT', 100)
  warnOnce(logger, 'LOOPSCOPE_WARN_ROUTE_LIMIT', 200)
  assert.deepEqual(logger.lines, [{
    fields: { code: 'LOOPSCOPE_WARN_ROUTE_LIMIT' },
    message: 'more than 100 routes: further ones are counted as _other'
  }])
  forgetWarnings()
  warnOnce(logger, 'LOOPSCOPE_WARN_ROUTE_LIMIT', 300)
  assert.equal(logger.lines.length, 2)
})

test('an error is logged as one, and reads as its message', () => {
  const logger = createLogger()
  const error = new Error('disk is full')
  warnOnce(logger, 'LOOPSCOPE_WARN_STORE', error)
  const [{ fields, message }] = logger.lines
  assert.equal(fields.err, error)
  assert.equal(message, 'captures will fail until this is fixed: disk is full')
})

test('a logger that throws is no fault of the application', () => {
  warnOnce({ warn () { throw new Error('logger') } }, 'LOOPSCOPE_WARN_STORE', 'x')
})

test('every warning names what is missing and fits its placeholders', () => {
  for (const [code, template] of Object.entries(WARNINGS)) {
    assert.match(code, /^LOOPSCOPE_WARN_[A-Z_]+$/)
    const logger = createLogger()
    warnOnce(logger, code, ...template.match(/%[sd]/g) ?? [], 'one too many')
    assert.match(logger.lines[0].message, / one too many$/)
  }
})
