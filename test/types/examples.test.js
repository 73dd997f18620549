'use strict'

// Editors show the declarations as help: every option and method has an example there, and those of options are valid.

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const ts = require('typescript')
const { resolveOptions } = require('../../lib/api/options/resolve-options')

const FILE = path.join(__dirname, '..', '..', 'types', 'diagnostics.d.ts')
const OPTIONS = ['DiagnosticsOptions', 'RecorderOptions', 'RetentionOptions', 'HeapOptions', 'SyncCallOptions', 'AdminOptions', 'EgressOptions']
const HANDLES = ['DiagnosticsHandle', 'HeapWatch', 'Clock', 'ClockOptions']
const WITHOUT = new Set(['Clock.buffer', 'Clock.running', 'Clock.recentMaxStalenessMs', 'DiagnosticsHandle.heap']) // a value that is read

const source = ts.createSourceFile(FILE, ts.sys.readFile(FILE), ts.ScriptTarget.Latest, true)

/** @returns {{ name: string, examples: string[] }[]} */
function membersOf (interfaces) {
  return source.statements.filter(node => ts.isInterfaceDeclaration(node) && interfaces.includes(node.name.text)).flatMap(node => node.members.map(member => ({
    name: `${node.name.text}.${member.name.getText()}`,
    examples: ts.getJSDocTags(member).filter(({ tagName }) => tagName.text === 'example').map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '')
  })))
}

test('every option and method has an example', () => {
  const missing = membersOf([...OPTIONS, ...HANDLES]).filter(({ name, examples }) => examples.length === 0 && !WITHOUT.has(name))
  assert.deepEqual(missing.map(({ name }) => name), [])
})

for (const { name, examples } of membersOf(OPTIONS)) {
  const codes = examples.filter(code => code.startsWith('diagnostics('))
  test(`the example of ${name} is valid`, { skip: codes.length === 0 && 'it is a command' }, () => {
    const surroundings = {
      diagnostics: options => resolveOptions(options, {}),
      url: 'http://127.0.0.1:9/{file}',
      rules: [],
      isAdmin: () => true,
      path,
      process: { env: { DIAGNOSTICS_TOKEN: 'x'.repeat(32), KEY: 'x' } },
      promClient: require('prom-client'),
      pino: require('pino'),
      __dirname
    }
    for (const code of codes) new Function(...Object.keys(surroundings), code)(...Object.values(surroundings)) // eslint-disable-line no-new-func
  })
}
