'use strict'

// Diagnostics that are on, in the process of the test, with a store and a log of their own.

const { pbkdf2Sync } = require('node:crypto')
const path = require('node:path')
const { createDiagnostics } = require('../..')
const { forgetWarnings } = require('../../lib/base/warnings')
const { makeScratch } = require('../store/scratch')

/**
 * @param {import('node:test').TestContext} t  closed after it
 * @param {object} [options]
 */
async function run (t, options = {}) {
  const logged = []
  const log = (fields, message) => { logged.push({ ...fields, message }) }
  const dir = options.dir ?? path.join(makeScratch(t), 'captures')
  const handle = createDiagnostics({ logger: { info: log, warn: log, error: log }, signals: false, ...options, dir }).start()
  t.after(async () => {
    await handle.close()
    forgetWarnings()
  })
  return { handle, logged, dir }
}

/** Resolves when the recorder holds something. */
async function ready ({ handle }) {
  while (!await handle.capture('cpu', { seconds: 0.05 }).then(() => true, ({ code }) => code !== 'ERR_LOOPSCOPE_EMPTY_VIEW'));
}

/** About 300 ms in few native calls: a loop of many turns could be optimized and inlined into its caller, where it loses its name. */
function keepBusy () {
  const until = performance.now() + 300
  while (performance.now() < until) pbkdf2Sync('password', 'salt', 50_000, 64, 'sha512')
}

/** The counter of captures by outcome, as Prometheus reads it. */
async function outcomes ({ handle }) {
  const metric = await handle.registry.getSingleMetric('loopscope_captures_total').get()
  return Object.fromEntries(metric.values.map(({ labels, value }) => [`${labels.kind} ${labels.trigger} ${labels.outcome}`, value]))
}

module.exports = { run, ready, keepBusy, outcomes }
