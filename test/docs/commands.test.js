'use strict'

// Commands that the pages show exist, with the options that they are given there.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { COMMANDS } = require('../../lib/cli/commands')
const { listFiles, readProject } = require('../internal/project')

const PAGES = ['README.md', ...listFiles('docs').filter(file => file.endsWith('.md'))]
const BY_NAME = new Map(COMMANDS.map(command => [command.name, command]))

/** What follows `loopscope` in the commands of a page, in blocks and in sentences, up to a comment, a pipe or a bracket. */
function commandsOf (page) {
  const inBackticks = [...readProject(page).matchAll(/`(?:npx )?loopscope ([^`\n]+)`/g)].map(([, rest]) => rest)
  const inBlocks = [...readProject(page).matchAll(/^(?:.*?(?:npx |\.bin\/))loopscope ([a-z][^\n`]*)$/gm)].map(([, rest]) => rest)
  return [...inBackticks, ...inBlocks].map(rest => rest.split(/ #| > | \| |`|\)|;/)[0].trim())
}

for (const page of PAGES) {
  test(`the commands in ${page} exist, with their options`, () => {
    for (const line of commandsOf(page)) {
      const [name, ...args] = line.split(/\s+/)
      if (!/^[a-z]/.test(name) || name === 'help') continue
      const command = BY_NAME.get(name)
      assert.ok(command, `loopscope ${line}: no such command`)
      const end = args.indexOf('--') // what follows is another program's
      const named = (end < 0 ? args : args.slice(0, end)).flatMap(word => /^--([a-z-]+)/.exec(word)?.[1] ?? [])
      assert.deepEqual(named.filter(option => !(option in command.options)), [], `loopscope ${line}`)
    }
  })
}

test('each option in a row of docs/cli.md belongs to the command of that row', () => {
  const rows = readProject('docs/cli.md').split('\n').filter(line => /^\| `[a-z]/.test(line))
  assert.ok(rows.length > 20)
  for (const row of rows) {
    const [, name] = /^\| `([\w-]+)/.exec(row) ?? []
    const named = [...row.matchAll(/--([a-z][a-z-]+)/g)].map(([, option]) => option)
    assert.deepEqual(named.filter(option => !(option in (BY_NAME.get(name)?.options ?? {}))), [], name)
  }
})
