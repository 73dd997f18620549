'use strict'

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const test = require('node:test')
const { COMMANDS } = require('../../lib/cli/commands')
const { cli } = require('./cli')

const notInstalled = shell => spawnSync(shell, ['-c', 'true']).error ? `${shell} is not installed` : false

/** Runs a script in the shell, with a `loopscope` that has two processes. */
async function inShell (t, shell, script) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loopscope-shell-'))
  t.after(() => fs.rmSync(folder, { recursive: true }))
  fs.writeFileSync(path.join(folder, 'loopscope'), '#!/bin/sh\n[ "$2" = --processes ] && printf "api\\n1234\\n"\n', { mode: 0o755 })
  const { stdout: completion, code } = await cli(['completion', shell])
  assert.equal(code, 0)
  const file = path.join(folder, 'completion')
  fs.writeFileSync(file, completion)
  const { stdout, stderr } = spawnSync(shell, ['-c', script(file)], { encoding: 'utf8', env: { ...process.env, PATH: `${folder}:${process.env.PATH}`, HOME: folder } })
  assert.equal(stderr, '')
  return stdout.split('\n').filter(line => line !== '').map(line => line.split('\t')[0])
}

const bash = words => file => `
source ${file}
COMP_WORDS=(${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_loopscope
printf '%s\\n' "\${COMPREPLY[@]}"`

// What zsh's completion system would be given.
const zsh = words => file => `
compdef () {}
_describe () { print -l -- \${(P)@[-1]%%:*} }
_files () { print files }
source ${file}
words=(${words.map(word => `'${word}'`).join(' ')}); CURRENT=${words.length}
_loopscope`

const fish = words => file => `source ${file}; complete -C '${words.join(' ')}'`

for (const [shell, complete] of Object.entries({ bash, zsh, fish })) {
  const skip = notInstalled(shell)

  test(`${shell} completes commands, options and processes`, { skip }, async t => {
    const of = (...words) => inShell(t, shell, complete(['loopscope', ...words]))
    const commands = await of('')
    for (const { name } of COMMANDS) assert.ok(commands.includes(name), name)
    const options = await of('why', '--')
    assert.ok(options.includes('--markdown') && options.includes('--help'), String(options))
    assert.ok(!options.includes('--seconds'))
    for (const command of ['why', 'profile', 'stalls']) {
      const processes = await of(command, '')
      assert.ok(processes.includes('api') && processes.includes('1234'), `${command}: ${processes}`)
    }
    assert.deepEqual((await of('completion', '')).sort(), ['bash', 'fish', 'zsh'])
    assert.ok(!(await of('report', '')).includes('api'))
  })
}

test('another shell is refused with those there are', async () => {
  const { code, stderr } = await cli(['completion', 'tcsh'])
  assert.equal(code, 2)
  assert.match(stderr, /tcsh is not a shell that can be completed\.\nShells: bash, zsh, fish/)
  assert.equal((await cli(['completion'])).code, 2)
})
