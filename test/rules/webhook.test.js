'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const http = require('node:http')
const { webhook } = require('../../lib/observer/rules/run-actions')
const { listen } = require('../http/listening')

const FIRING = {
  rule: 'long stall',
  at: 1,
  conditions: [{ name: 'stallMs', value: 1022, wanted: 1000 }],
  culprit: { function: 'login', file: 'app.js', line: 8, column: 3 },
  route: 'POST /login',
  artifacts: [{ kind: 'cpu', name: 'cpu-1', path: '/store/cpu-1', bytes: 5 }]
}

/** A receiver that answers with these, one request after the other. */
async function receive (t, answers) {
  const requests = []
  const server = http.createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    requests.push({ method: request.method, url: request.url, headers: request.headers, text })
    const [status, headers] = answers[requests.length - 1]
    if (status !== null) response.writeHead(status, headers).end('secret answer')
  })
  return { requests, url: `http://127.0.0.1:${await listen(t, server)}/secret?key=secret` }
}

/** @param {object} action */
function send (action, signal = new AbortController().signal) {
  return webhook(action, FIRING, { process: { appName: 'shop', pid: 1 }, signal })
}

test('a POST of JSON reports what happened, once more where the receiver was away', async t => {
  const { requests, url } = await receive(t, [[503], [204]])
  await send({ webhook: url, headers: { authorization: 'Bearer secret' } })
  assert.equal(requests.length, 2)
  const [, { method, headers, text }] = requests
  assert.deepEqual([method, headers['content-type'], headers.authorization], ['POST', 'application/json', 'Bearer secret'])
  assert.deepEqual(JSON.parse(text), { text: 'rule long stall: stallMs 1022 >= 1000 in login (app.js:8), POST /login; wrote /store/cpu-1', ...FIRING, process: { appName: 'shop', pid: 1 } })
})

test('what is wrong with the request is not tried again, and no redirect is followed', async t => {
  for (const answer of [[404], [302, { location: '/other' }]]) {
    const { requests, url } = await receive(t, [answer])
    await assert.rejects(send({ webhook: url }), error => error.message.endsWith(`answered ${answer[0]}`) && !error.message.includes('secret'))
    assert.equal(requests.length, 1)
  }
})

test('a receiver that does not answer is given up when the rules end', async t => {
  const { requests, url } = await receive(t, [[null], [null], [null]])
  const ended = new AbortController()
  const sent = send({ webhook: url, timeoutMs: 60_000 }, ended.signal)
  while (requests.length === 0) await new Promise(resolve => setTimeout(resolve, 5))
  ended.abort()
  await assert.rejects(sent, error => /did not answer/.test(error.message) && !error.message.includes('secret'))
})
