'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { endianness } = require('node:os')
const { findGone } = require('../../lib/observer/connections')

// From /proc/net/tcp and tcp6: CLOSE_WAIT is 08, ESTABLISHED is 01.
const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 0100007F:C350 08 00000000:00000001 00:00000000 00000000     0        0 1 1 0000000000000000 20 4 30 10 -1
   1: 0100007F:1F90 0100007F:C351 01 00000000:00000000 00:00000000 00000000     0        0 2 1 0000000000000000 20 4 30 10 -1
   0: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000200007F:C352 08 00000000:00000001 00:00000000 00000000     0        0 3 1
   1: B80D0120000000000000000001000000:1F90 B80D0120000000000000000002000000:C353 08 00000000:00000001 00:00000000 00000000     0        0 4 1
`

test('a connection whose client closed it is found, of either family; one that was reset has no address', { skip: endianness() !== 'LE' && 'the table is of the other byte order' }, () => {
  const peers = [
    { address: '127.0.0.1', port: 50_000, localPort: 8080 },
    { address: '127.0.0.1', port: 50_001, localPort: 8080 }, // is open
    { address: '::ffff:127.0.0.2', port: 50_002, localPort: 8080 },
    { address: '2001:db8::2', port: 50_003, localPort: 8080 },
    { address: '127.0.0.9', port: 50_000, localPort: 8080 }, // another client
    { address: '127.0.0.1', port: 50_000, localPort: 8081 }, // another server
    { address: '', port: 0, localPort: 8080 }
  ]
  assert.deepEqual(peers.map(peer => findGone(peers, TABLE).has(peer)), [true, false, true, true, false, false, true])
  assert.deepEqual([...findGone(peers.slice(0, 2), '')], [])
})
