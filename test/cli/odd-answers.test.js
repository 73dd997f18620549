'use strict'

// Answers of a process that no process of this version gives, because another version of loopscope runs in it or something else listens there:
// commands say so, and no error of their own comes out.

const test = require('node:test')
const assert = require('node:assert/strict')
const http = require('node:http')
const path = require('node:path')
const { Writable } = require('node:stream')
const { main } = require('../../lib/cli/cli')
const { createTerminal } = require('../../lib/cli/output/terminal')
const { listen } = require('../http/listening')
const { makeShortScratch } = require('../store/scratch')

const COMMANDS = ['stalls', 'why', 'memory', 'sync', 'slow', 'requests', 'waits']
const ODD = [null, 5, 'x', [], {}, [null], { stalls: [null] }, { findings: [{}], figures: {} }, { requests: 5 }, { routes: [null] }, { sampled: null }, { owners: [5] }]

for (const command of COMMANDS) {
  test(`${command} of a process that answers something else says so`, async t => {
    const odd = { answer: null }
    const socket = path.join(makeShortScratch(t), 'x.sock')
    await listen(t, http.createServer((request, response) => response.setHeader('content-type', 'application/json').end(JSON.stringify(odd.answer))), socket)
    for (odd.answer of ODD) {
      let notes = ''
      const discard = new Writable({ write: (chunk, encoding, done) => done() })
      const keep = new Writable({ write: (chunk, encoding, done) => { notes += chunk; done() } })
      const code = await main([command, '--socket', socket], { env: {}, terminal: createTerminal({ output: discard, notes: keep }) })
      assert.equal(code, 1, JSON.stringify(odd.answer))
      assert.match(notes, /another form than expected: another version of loopscope\?/, JSON.stringify(odd.answer))
      assert.doesNotMatch(notes, /^ +at /m)
    }
  })
}
