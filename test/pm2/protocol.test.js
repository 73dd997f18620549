'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { ACTIONS, ACTION_NAMES, actionMessage, monitorMessage, readAction, replyMessage } = require('../../lib/api/pm2/protocol')

test('each announced action has an answer', () => {
  assert.deepEqual(Object.keys(ACTIONS), [...ACTION_NAMES])
})

test('an action is its bare name, or an object with one; everything else is somebody else\'s', () => {
  assert.equal(readAction('loopscope:why'), 'loopscope:why')
  assert.equal(readAction({ msg: 'loopscope:cpu', opts: '60', name: 'api' }), 'loopscope:cpu')
  for (const message of ['shutdown', 'loopscope:', 'km:heapdump', '', 0, null, undefined, [], {}, { msg: 'x' }, { msg: { toString: null } }, { action_name: 'loopscope:cpu' }]) assert.equal(readAction(message), null)
})

test('PM2 takes only messages with a type and data', () => {
  assert.deepEqual(monitorMessage([{ name: 'Stalls', value: 0, unit: '/min' }, { name: 'Finding', value: 'none', unit: '' }]), {
    type: 'axm:monitor',
    data: { Stalls: { value: 0, unit: '/min', type: 'loopscope', historic: true }, Finding: { value: 'none', unit: '', type: 'loopscope', historic: false } }
  })
  assert.deepEqual(actionMessage('loopscope:cpu'), { type: 'axm:action', data: { action_name: 'loopscope:cpu', action_type: 'custom', arity: 1 } })
  assert.deepEqual(replyMessage('loopscope:cpu', { path: '/x' }, 5), { type: 'axm:reply', data: { at: 5, action_name: 'loopscope:cpu', return: { path: '/x' } } })
})
