'use strict'

// One set of options: in lib/api/options/options.js, in docs/options.md and in types/diagnostics.d.ts.

const test = require('node:test')
const assert = require('node:assert/strict')
const ts = require('typescript')
const { OPTIONS } = require('../../lib/api/options/options')
const { checkRequest, KINDS } = require('../../lib/shared/captures/kinds')
const { FORMATS } = require('../../lib/formats/formats')
const { optionTable } = require('./option-table')
const { readProject, readTable } = require('./project')

const TYPES = 'types/diagnostics.d.ts'
const GROUPS = { recorder: 'RecorderOptions', retention: 'RetentionOptions', syncCalls: 'SyncCallOptions', admin: 'AdminOptions', heap: 'HeapOptions' }
const declarations = ts.createSourceFile(TYPES, readProject(TYPES), ts.ScriptTarget.Latest, true)

/** Members of an interface with what their comments say. */
function membersOf (interfaceName) {
  const { members } = declarations.statements.find(statement => ts.isInterfaceDeclaration(statement) && statement.name.text === interfaceName)
  return members.map(member => ({
    name: member.name.getText(),
    comment: ts.getJSDocCommentsAndTags(member).map(({ comment }) => comment).join(' ')
  }))
}

const declared = membersOf('DiagnosticsOptions').flatMap(({ name, comment }) => {
  const group = GROUPS[name] ? membersOf(GROUPS[name]).map(member => ({ ...member, name: `${name}.${member.name}` })) : []
  return [{ name, comment }, ...group]
})

const code = cell => cell.replaceAll('`', '')

test('docs/options.md has the table of the code', () => {
  assert.deepEqual(readTable('docs/options.md', 'All options'), optionTable())
})

test('types/diagnostics.d.ts declares the options of the code', () => {
  const paths = OPTIONS.map(({ path }) => path)
  const groups = Object.keys(GROUPS).filter(group => !paths.includes(group))
  assert.deepEqual(declared.map(({ name }) => name).sort(), [...paths, ...groups].sort())
})

test('the ranges and defaults that the declarations speak of are those of the code', () => {
  for (const { path, wanted, defaultValue } of OPTIONS) {
    const { comment } = declared.find(({ name }) => name === path)
    const [range] = /\d+ to \d+(?=\.)/.exec(comment) ?? []
    const [, number] = /Default (\d+)[.,]/.exec(comment) ?? []
    if (range !== undefined) assert.equal(wanted, `integer from ${range}`, path)
    if (number !== undefined) assert.equal(defaultValue, Number(number), path)
  }
})

test('the options of a capture are those of the document and of the declarations', () => {
  const documented = readTable('docs/options.md', 'Options of a capture').map(([name]) => code(name))
  assert.deepEqual(documented, membersOf('CaptureOptions').map(({ name }) => name))
  const known = new Set(['format', 'signal', ...Object.values(KINDS).flatMap(({ options }) => options)])
  assert.deepEqual(documented.toSorted(), [...known].sort())
})

test('the options of a capture have the limits and formats of the document', () => {
  for (const [name, wanted] of readTable('docs/options.md', 'Options of a capture')) {
    const [, most] = /^number above 0, at most (\d+)$/.exec(wanted) ?? []
    if (most === undefined) continue
    checkRequest('cpu', { [code(name)]: Number(most) })
    for (const bad of [0, Number(most) + 1]) assert.throws(() => checkRequest('cpu', { [code(name)]: bad }), { code: 'ERR_LOOPSCOPE_INVALID_OPTION' })
  }
  const [, wanted, defaultValue] = readTable('docs/options.md', 'Options of a capture').find(([name]) => name === '`format`')
  assert.deepEqual(wanted.match(/(?<=')\w+(?=')/g), Object.keys(FORMATS))
  assert.equal(`'${checkRequest('cpu').format}'`, code(defaultValue))
})
