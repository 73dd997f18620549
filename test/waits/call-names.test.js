'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { CallNames, NamesOfKind } = require('../../lib/probe/waits/call-names')
const { toHost, toMethod } = require('../../lib/probe/waits/libraries/outgoing-http')
const { firstWord, toStatement } = require('../../lib/probe/waits/libraries/databases')

test('a name is one number, however a library writes it', () => {
  const names = new CallNames()
  const redis = new NamesOfKind(names, { kind: 'redis', toOperation: command => command.toUpperCase() })
  const other = new NamesOfKind(names, { kind: 'redis' })
  assert.equal(redis.numberOf('get', 'cache', 6379), redis.numberOf('GET', 'cache', '6379'))
  assert.equal(other.numberOf('GET', 'cache', 6379), redis.numberOf('get', 'cache', 6379))
  assert.notEqual(redis.numberOf('get', 'cache', 6380), redis.numberOf('get', 'cache', 6379))
  assert.deepEqual(names.list[0], { kind: 'redis', operation: 'GET', target: 'cache:6379' })
})

test('addresses: host and port, of version 6 in brackets, the path of a socket as it is, and of nothing known nothing', () => {
  const names = new CallNames()
  const kind = new NamesOfKind(names, { kind: 'mysql' })
  for (const [host, port] of [['::1', 3306], ['/run/mysqld/mysqld.sock', undefined], [undefined, undefined]]) kind.numberOf('SELECT', host, port)
  assert.deepEqual(names.list.map(({ target }) => target), ['[::1]:3306', '/run/mysqld/mysqld.sock', '_other'])
})

test('targets and names are bounded: further ones are counted together, whatever the application does', () => {
  const names = new CallNames()
  const http = new NamesOfKind(names, { kind: 'http' })
  for (let host = 0; host < 3000; host++) http.numberOf('GET', `host-${host}`, 80)
  assert.equal(new Set(names.list.map(({ target }) => target)).size, 51)
  assert.deepEqual(names.list[http.numberOf('GET', 'host-2999', 80)], { kind: 'http', operation: 'GET', target: '_other' })
  for (let operation = 0; operation < 3000; operation++) http.numberOf(`OPERATION-${operation}`, 'host-0', 80)
  assert.equal(names.list.length, 201)
  assert.deepEqual(names.list[http.numberOf('OPERATION-2999', 'host-0', 80)], { kind: 'http', operation: '_other', target: '_other' })
})

test('of SQL the first word is taken, where it is a statement, and nothing else', () => {
  const operationOf = text => toStatement(firstWord(text))
  assert.equal(operationOf('select * from users where name = "x"'), 'SELECT')
  assert.equal(operationOf('\n  /* route=/users */ -- why\n (INSERT INTO t VALUES (1))'), 'INSERT')
  assert.equal(operationOf('WITH a AS (SELECT 1) SELECT * FROM a'), 'WITH')
  for (const odd of ['secret', 'selected', '', '4711', undefined, null, { sql: 'SELECT 1' }, '/* unfinished']) assert.equal(operationOf(odd), '_other')
})

test('comments without end take no time', () => {
  const startMs = performance.now()
  firstWord('/*'.repeat(100_000))
  firstWord(`${' '.repeat(100_000)}4`)
  assert.ok(performance.now() - startMs < 2000)
})

test('of HTTP requests the method and the host with its port are taken, and nothing else of a URL', () => {
  assert.equal(toHost('https://api.example.com'), 'api.example.com:443')
  assert.equal(toHost('http://user:secret@api.example.com:8080/path?token=secret'), 'api.example.com:8080')
  assert.equal(toHost('http://[::1]:3000'), '[::1]:3000')
  for (const odd of ['', 'undefined', 'http://', '/path']) assert.equal(toHost(odd), '_other')
  assert.deepEqual(['get', 'QUERY', 'PROPFIND', undefined].map(toMethod), ['GET', 'QUERY', '_other', '_other'])
})
