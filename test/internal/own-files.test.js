'use strict'

// What would break in a bundle, where all files are one and in an ES module none has a path. test/frameworks/bundles.test.js makes
// real ones.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { errors } = require('../../lib/base/errors')
const { OWN_FOLDER, ownRequire, readOwn, threadFile, threadFlags } = require('../../lib/base/own-files')
const { ROOT, listFiles, readProject } = require('./project')

test('only one file that can be in a bundle uses its own path, or requires a path from a variable', () => {
  // The command line is not bundled.
  const files = listFiles('lib').filter(file => file.endsWith('.js') && !file.startsWith('lib/cli/') && !file.startsWith('lib/page/'))
  const knowing = files.filter(file => {
    const source = readProject(file).replace(/\/\*[\s\S]*?\*\/|(^| )\/\/ .*$/gm, '')
    return /\b__(dirname|filename)\b|(?<![.\w])require\.resolve\(|(?<![.\w])require\((?!['"])/.test(source)
  })
  assert.deepEqual(knowing, ['lib/base/own-files.js'])
})

test('where loopscope is installed, its files and packages are those beside it', () => {
  assert.equal(OWN_FOLDER, path.join(ROOT, 'lib', path.sep))
  assert.ok(fs.existsSync(threadFile(undefined)))
  assert.match(readOwn('page/shell/shell.html'), /<html/)
  assert.ok(ownRequire().resolve('uplot/package.json').startsWith(ROOT))
  assert.deepEqual(threadFlags(), [])
})

test('an observerFile that is not there is refused with its name and the cure', () => {
  assert.equal(threadFile(__filename), __filename)
  assert.throws(() => threadFile('/none/observer.js'), error => error instanceof errors.ERR_LOOPSCOPE_BUNDLED && /\/none\/observer\.js \(option observerFile\).*loopscope\/observer/.test(error.message))
})
