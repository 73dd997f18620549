'use strict'

// On the main thread nothing is required by a timer, a signal, a message or an event that could come first after a test
// runner has torn the modules of a file down: whatever comes later is required at the top of its file. Who may do otherwise
// stands here with the reason.

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const ts = require('typescript')
const { ROOT, readProject } = require('./project')

const STARTS = ['lib/index.js', 'lib/register.js']

const BY_CALL = 'the application calls it, or it runs while the application is being set up'
const OR_PRELOADED = `${BY_CALL}; later only where it is preloaded, and then it is no part of a test environment`
const IN_OBSERVER = 'it runs in the observer thread or in the command line, which are no part of a test environment'

const ALLOWED = {
  'lib/api/admin/surface.js': BY_CALL,
  'lib/api/metrics/application-metrics.js': OR_PRELOADED,
  'lib/api/http/application-requests.js': BY_CALL,
  'lib/probe/egress-serving.js': BY_CALL,
  'lib/api/options/options.js': BY_CALL,
  'lib/api/diagnostics.js': BY_CALL,
  'lib/api/preload.js': OR_PRELOADED,
  'lib/api/pm2/pm2.js': BY_CALL,
  'lib/shared/default-logger.js': OR_PRELOADED,
  'lib/base/system/cluster-worker.js': BY_CALL,
  'lib/probe/heap/heap-watching.js': BY_CALL,
  'lib/probe/instruments.js': 'memory grows, or somebody asks which code keeps it',
  'lib/probe/recorder/engines.js': BY_CALL,
  'lib/probe/recorder/v8-profiler-engine.js': BY_CALL,
  'lib/probe/sync-calls/exact-calls.js': BY_CALL,
  'lib/base/validate.js': 'a name is wrong, which ends the start',
  'lib/base/own-files.js': 'it asks for the place of a package, and loads none',
  'lib/formats/flamegraph/libraries.js': IN_OBSERVER,
  'lib/formats/formats.js': IN_OBSERVER,
  'lib/formats/heap-profile-shown.js': IN_OBSERVER,
  'lib/probe/heap/snapshot-engines.js': 'the native package heapdump, where it was asked for by name: it acts when it is loaded'
}

// The second, of base/own-files.js, is for what bundlers shall not see.
const REQUIRES = ['require', 'ownRequire']

/** @param {string} file */
function requiresOf (file) {
  const source = ts.createSourceFile(file, readProject(file), ts.ScriptTarget.Latest)
  const found = []
  const visit = (node, isLate) => {
    if (ts.isCallExpression(node) && REQUIRES.includes(node.expression.text)) found.push({ name: node.arguments[0]?.text, isLate })
    ts.forEachChild(node, child => visit(child, isLate || ts.isFunctionLike(node)))
  }
  visit(source, false)
  return found
}

/** Every file that the main thread can come to load. */
function reachable () {
  const files = new Map()
  const visit = file => {
    if (files.has(file)) return
    const requires = requiresOf(file)
    files.set(file, requires)
    for (const { name } of requires) {
      if (name?.startsWith('.') && !name.endsWith('.json')) visit(path.relative(ROOT, require.resolve(path.join(ROOT, path.dirname(file), name))))
    }
  }
  STARTS.forEach(visit)
  return files
}

test('only files with a reason require something later than at their top', () => {
  const late = [...reachable()].filter(([, requires]) => requires.some(({ isLate }) => isLate)).map(([file]) => file)
  assert.deepEqual(late.sort(), Object.keys(ALLOWED).sort())
})
