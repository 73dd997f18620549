'use strict'

// An Express server with rules, as its argument says.

const { serveHello } = require('../harness/hello-server')

const NEVER = { rssBytes: 2 ** 40 }
const MAX_STALL_MS = 600_000

// Every condition there is, none of which is met here; where it might be, another one of the same rule is not.
/** @type {import('../../types/rules').RuleConditions[]} */
const CONDITIONS = [
  { stallMs: MAX_STALL_MS }, { stallCount: 10_000 }, { blockedShare: 1 }, { utilization: 1, ...NEVER }, { delayP99Ms: 60_000 }, { errorResponseShare: 1 },
  NEVER, { heapAfterGcBytes: 2 ** 40 }, { finding: 'suspended', ...NEVER }, { finding: 'starved', ...NEVER }
]
/** @type {import('../../types/rules').Rule[]} */
const RULES = CONDITIONS.map((when, index) => ({ name: `rule ${index + 1}`, when, do: [{ capture: 'cpu', last: 10 }] }))

/** @type {Record<string, (app: import('express').Express) => void>} */
const CASES = {
  'no rules' (app) { app.use(require('../..')()) },
  'no rules, once more' (app) { app.use(require('../..')()) },
  'ten rules' (app) { app.use(require('../..')({ rules: RULES })) },
  'ten rules, dry run' (app) { app.use(require('../..')({ rules: RULES, rulesDryRun: true })) }
}

serveHello(CASES[process.argv[2]])
