'use strict'

// A destination whose name nobody tells: a name server that takes questions and does not answer.

const test = require('node:test')
const assert = require('node:assert/strict')
const dgram = require('node:dgram')
const dns = require('node:dns')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { createDestination } = require('../../lib/observer/egress/destination')
const { receive } = require('./receiver')

const TYPE_A = 1
const HEADER_BYTES = 12

/** The only name server that this process asks, and soon gives up. It answers from speak() on. */
async function silentNameServer (t) {
  const socket = dgram.createSocket('udp4')
  const server = { questions: 0, speak: () => { isSilent = false } }
  let isSilent = true
  socket.on('message', (question, { port, address }) => {
    server.questions++
    if (!isSilent) socket.send(answerTo(question), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => socket.close())
  const { Resolver } = dns.promises
  t.mock.method(dns.promises, 'Resolver', class extends Resolver {
    constructor () {
      super({ timeout: 100, tries: 1 })
      this.setServers([`127.0.0.1:${socket.address().port}`])
    }
  })
  const { readFileSync } = fs
  t.mock.method(fs, 'readFileSync', (file, ...more) => file === '/etc/resolv.conf' ? 'nameserver 127.0.0.1\n' : readFileSync(file, ...more))
  return server
}

/** 127.0.0.1, and no address of another kind. */
function answerTo (question) {
  const end = question.indexOf(0, HEADER_BYTES) + 5
  const isFour = question.readUInt16BE(end - 4) === TYPE_A
  const record = Buffer.from([0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, 1, 0, 4, 127, 0, 0, 1])
  const header = Buffer.from([question[0], question[1], 0x81, 0x80, 0, 1, 0, isFour ? 1 : 0, 0, 0, 0, 0])
  return Buffer.concat([header, question.subarray(HEADER_BYTES, end), isFour ? record : Buffer.alloc(0)])
}

/** A destination with the queue of a process. */
function destinationAt (t, url) {
  const dir = path.join(fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-egress-')), 'queue')
  const outcomes = []
  const settings = { to: 'put', url, headers: {}, everySeconds: false, labels: {}, stallMs: 1000, maxQueueBytes: 1024 ** 2 }
  const destination = createDestination({
    settings, dir, owner: 'one', minFreeBytes: 0, maxAgeMs: 60_000, onState () {}, count: outcome => outcomes.push(outcome)
  })
  t.after(() => {
    destination.stop()
    fs.rmSync(path.dirname(dir), { recursive: true, force: true })
  })
  return { outcomes, add: name => destination.add({ kind: 'stall', fromMs: 0, labels: {}, report: {}, fileName: name }, { isUrgent: true }) }
}

test('a name server that does not answer holds up no other destination, and its own waits, without the thread pool', async t => {
  const receiver = await receive(t)
  const nameServer = await silentNameServer(t)
  const lookup = t.mock.method(dns, 'lookup')
  const hanging = destinationAt(t, `http://collector.example:${receiver.port}/{file}`)
  const other = destinationAt(t, `http://127.0.0.1:${receiver.port}/{file}`)

  await hanging.add('waits')
  await other.add('arrives')
  await receiver.until(() => receiver.taken.length === 1)
  assert.deepEqual(receiver.taken.map(({ url }) => url), ['/arrives'])

  while (!hanging.outcomes.includes('retried')) await new Promise(resolve => setTimeout(resolve, 5))
  assert.ok(nameServer.questions > 0)
  nameServer.speak()
  await hanging.add('waits-too') // what is new is tried at once
  await receiver.until(() => receiver.taken.length === 3)
  assert.deepEqual(receiver.taken.map(({ url }) => url), ['/arrives', '/waits', '/waits-too'])
  assert.equal(lookup.mock.callCount(), 0)
})
