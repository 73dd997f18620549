'use strict'

// Applications that wait, each in a process of its own and slow for one reason, and healthy ones: what the first finding about them is.
//
//   needs: packages, servers of servers.js
//   load: connections that ask one after the other, with a pause; readMs: between two pieces of the response; sendMs: between two pieces of the request
//   first: the finding; hasLine: it has the line with the comment `// the wait`
//   text: of its title, explanation and advice; not: what they must not claim
//   beside: another finding that is as true

/** More requests at a time than one after the other. */
const MANY = { connections: 8, pauseMs: 10 }
const MAJOR = Number(process.versions.node.split('.', 1)[0])

const SLOW = [
  { app: 'resolver', first: 'slow-dns', text: /^DNS is slow: looking up a name takes \d+ ms/, not: /libuv/ },
  { app: 'lookup', first: 'slow-dns', beside: 'no-keep-alive', text: /^DNS is slow: looking up prices\.internal takes \d+ ms/, not: /libuv/ },
  { app: 'polling', first: 'timer-wait', text: /waits for a timer/ },
  { app: 'backoff', first: 'timer-wait', text: /in pauses between attempts: http GET 127\.0\.0\.1:\d+ fails/ },
  { app: 'callbacks', first: 'slow-elsewhere', text: /for http GET 127\.0\.0\.1:\d+, 1 call per request/, hasLine: MAJOR >= 22 /* before, it is reported too late */ },
  { app: 'timeouts', first: 'slow-elsewhere', text: /no await of the application was seen/, hasLine: false },
  { app: 'workers', first: 'busy-threads', text: /Worker threads.* used .* waits \d+ % of its time at image \(.*workers\.js:\d+\)/ },
  { app: 'piscina', needs: { packages: ['piscina'] }, first: 'busy-threads', text: /Worker threads.* used .* waits \d+ % of its time at .*piscina\.js:\d+/ },
  { app: 'files', first: 'slow-elsewhere', text: /at readCatalog \(.*\), for node:fs\/promises/ },
  { app: 'children', first: 'slow-elsewhere', text: /for process spawn sleep, 1 call per request/ },
  { app: 'spawned', first: 'slow-elsewhere', text: /for process spawn sleep, 1 call per request.* for process\./ },
  { app: 'no-agent', first: 'no-keep-alive', text: /each http call opens a new one/ },
  { app: 'agent', first: MAJOR >= 22 ? 'small-pool' : 'slow-elsewhere', text: MAJOR >= 22 ? /^The connection pool of the HTTP client for 127\.0\.0\.1:\d+ is too small: .* both connections are in use/ : /offers/ },
  { app: 'limited', first: 'lock-wait', text: /for a lock or queue of the application.* at leave \(/ },
  { app: 'p-limit', needs: { packages: ['p-limit'] }, first: 'lock-wait', text: /for its turn in p-limit/ },
  { app: 'pipeline', needs: { packages: ['ioredis'], servers: ['redis'] }, first: 'slow-elsewhere', text: /for redis GET 127\.0\.0\.1:\d+, 20 calls per request|at loadCart \(.* for ioredis/, not: /N\+1/ },
  { app: 'blocking', needs: { packages: ['ioredis'], servers: ['redis'] }, first: 'small-pool', text: /^BLPOP holds the only connection to redis 127\.0\.0\.1:\d+: .* at profile \(.*blocking\.js:\d+\)/, hasLine: false /* of no request */ },
  { app: 'undici-pool', needs: { packages: ['undici'] }, first: 'small-pool', text: /^The connection pool of undici to 127\.0\.0\.1:\d+ is too small: .* its only connection is in use/ },
  { app: 'mysql-pool', needs: { packages: ['mysql2'], servers: ['mariadb'] }, first: 'small-pool', text: /^The connection pool of mysql 127\.0\.0\.1:\d+ is too small/ },
  { app: 'sequelize-pool', needs: { packages: ['sequelize', 'pg'], servers: ['postgres'] }, first: 'small-pool', text: /^The connection pool of sequelize is too small/ },
  { app: 'sequelize', needs: { packages: ['sequelize', 'mysql2'], servers: ['mariadb'] }, first: 'slow-elsewhere', text: /loadOrders \([^)]*\).* for sequelize/, hasLine: false /* of its many promises not all are seen */ },
  { app: 'dataloader', needs: { packages: ['graphql', 'dataloader', 'pg'], servers: ['postgres'] }, first: 'slow-elsewhere', text: /at loadCustomers \([^)]*\), for pg/ },
  { app: 'download', load: { connections: 4, pauseMs: 10, readMs: 5 }, first: 'slow-elsewhere', text: /the client had not read yet what was sent/ },
  { app: 'upload', load: { connections: 4, pauseMs: 10, sendMs: 100 }, first: 'slow-elsewhere', text: /the client had not sent all of its request yet/ },
  { app: 'kysely', needs: { packages: ['kysely', 'pg'], servers: ['postgres'] }, first: 'slow-elsewhere', text: /10 times each.*N\+1/ }
].map(row => ({ load: MANY, needs: {}, hasLine: true, ...row }))

const HEALTHY = [
  { app: 'healthy-graphql', needs: { packages: ['graphql', 'dataloader', 'pg'], servers: ['postgres'] }, paths: ['/graphql'] },
  { app: 'healthy-mixed', needs: { packages: ['p-limit', 'ioredis', 'mysql2'], servers: ['redis', 'mariadb'] }, paths: ['/'] },
  { app: 'healthy-events', needs: {}, paths: ['/', '/events'] }
].map(row => ({ load: { connections: 6, pauseMs: 30 }, ...row }))

module.exports = { HEALTHY, SLOW }
