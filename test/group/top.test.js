'use strict'

// `top --group` while a process of the group is replaced by another one.

const test = require('node:test')
const assert = require('node:assert/strict')
const { noTerminal, shell } = require('../cli/shell')
const { runGroup } = require('./grouped')

/** Whether the screen has a row of the process since it was drawn last. */
function isShown (screen, { pid }) {
  return new RegExp(`\\D${pid} +(shop|-) `).test(screen.slice(screen.lastIndexOf('\u001b[H\u001b[J')))
}

test('top of a group shows new processes, and no longer those that ended', { skip: noTerminal, timeout: 60_000 }, async t => {
  const { apps: [stays, ends], env, join } = await runGroup(t, 2)
  const steps = [
    [() => [stays, ends], () => {
      ends.child.kill('SIGKILL')
      join().then(app => steps.push([() => [stays, app], type => type('q')]))
    }]
  ]
  const { code } = await shell('loopscope top --group shop', {
    env,
    onOutput: (type, screen) => {
      const [wanted, act] = steps[0] ?? []
      const rows = [stays, ends, ...(wanted?.() ?? [])].filter(app => isShown(screen, app))
      if (wanted === undefined || new Set(rows).size !== 2 || !wanted().every(app => rows.includes(app))) return
      steps.shift()
      act(type)
    }
  })
  assert.equal(code, 0)
})
