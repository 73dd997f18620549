'use strict'

// A call that succeeds for every API of the table, to compare with and without the detector.
// Each gets a directory of its own that holds `file` ("text"), `folder/` and a descriptor open on the file.

const zlib = require('node:zlib')
const crypto = require('node:crypto')

const path = require('node:path')

const inDir = (...names) => ({ dir }) => names.map(name => path.join(dir, name))
const onDescriptor = (...rest) => ({ descriptor }) => [descriptor, ...rest]
const fixed = (...args) => () => args

const { privateKey, publicKey } = crypto.generateKeyPairSync('ed25519')
const signature = crypto.sign(null, Buffer.from('x'), privateKey)
const pair = crypto.generateKeyPairSync('x25519')
const owner = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]

/** api -> arguments from { dir, descriptor } */
const ARGUMENTS = {
  'fs.appendFileSync': ({ dir }) => [path.join(dir, 'file'), 'more'],
  'fs.accessSync': inDir('file'),
  'fs.chownSync': ({ dir }) => [path.join(dir, 'file'), ...owner],
  'fs.chmodSync': ({ dir }) => [path.join(dir, 'file'), 0o600],
  'fs.closeSync': onDescriptor(),
  'fs.copyFileSync': inDir('file', 'copy'),
  'fs.cpSync': inDir('file', 'copy'),
  'fs.existsSync': inDir('file'),
  'fs.fchownSync': onDescriptor(...owner),
  'fs.fchmodSync': onDescriptor(0o600),
  'fs.fdatasyncSync': onDescriptor(),
  'fs.fstatSync': onDescriptor(),
  'fs.fsyncSync': onDescriptor(),
  'fs.ftruncateSync': onDescriptor(2),
  'fs.futimesSync': onDescriptor(1, 1),
  'fs.globSync': ({ dir }) => [path.join(dir, '*')],
  'fs.lchownSync': ({ dir }) => [path.join(dir, 'file'), ...owner],
  'fs.linkSync': inDir('file', 'link'),
  'fs.lstatSync': inDir('file'),
  'fs.lutimesSync': ({ dir }) => [path.join(dir, 'file'), 1, 1],
  'fs.mkdirSync': inDir('new'),
  'fs.mkdtempSync': inDir('temporary-'),
  'fs.mkdtempDisposableSync': inDir('temporary-'),
  'fs.openSync': ({ dir }) => [path.join(dir, 'file'), 'r'],
  'fs.openAsBlobSync': inDir('file'),
  'fs.opendirSync': inDir('folder'),
  'fs.readdirSync': inDir(''),
  'fs.readSync': onDescriptor(Buffer.alloc(4)),
  'fs.readvSync': onDescriptor([Buffer.alloc(4)]),
  'fs.readFileSync': ({ dir }) => [path.join(dir, 'file'), 'utf8'],
  'fs.readlinkSync': inDir('symlink'),
  'fs.realpathSync': inDir('symlink'),
  'fs.realpathSync.native': inDir('symlink'),
  'fs.renameSync': inDir('file', 'renamed'),
  'fs.rmSync': inDir('file'),
  'fs.rmdirSync': inDir('folder'),
  'fs.statSync': inDir('file'),
  'fs.statfsSync': inDir(''),
  'fs.symlinkSync': inDir('file', 'symlink-too'),
  'fs.truncateSync': ({ dir }) => [path.join(dir, 'file'), 1],
  'fs.unlinkSync': inDir('file'),
  'fs.utimesSync': ({ dir }) => [path.join(dir, 'file'), 1, 1],
  'fs.writeFileSync': ({ dir }) => [path.join(dir, 'file'), 'new'],
  'fs.writeSync': onDescriptor('abc'),
  'fs.writevSync': onDescriptor([Buffer.from('abc')]),
  'crypto.argon2Sync': fixed('argon2id', { message: 'x', nonce: Buffer.alloc(16), parallelism: 1, tagLength: 16, memory: 8, passes: 1 }),
  'crypto.checkPrimeSync': fixed(7n),
  'crypto.createDiffieHellman': fixed(Buffer.from([23])),
  'crypto.createHash().update': fixed('x'),
  'crypto.createHmac().update': fixed('x'),
  'crypto.createSign().sign': fixed(crypto.generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey),
  'crypto.createVerify().verify': fixed(crypto.generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey, Buffer.alloc(128)),
  'crypto.diffieHellman': fixed(pair),
  'crypto.generateKeyPairSync': fixed('ed25519'),
  'crypto.generateKeySync': fixed('hmac', { length: 64 }),
  'crypto.generatePrimeSync': fixed(32),
  'crypto.hash': fixed('sha256', 'x'),
  'crypto.hkdfSync': fixed('sha256', 'key', 'salt', 'info', 16),
  'crypto.pbkdf2Sync': fixed('password', 'salt', 10, 16, 'sha256'),
  'crypto.randomBytes': fixed(8),
  'crypto.randomFillSync': () => [Buffer.alloc(8)],
  'crypto.randomInt': fixed(1, 2),
  'crypto.randomUUID': fixed(),
  'crypto.randomUUIDv7': fixed(),
  'crypto.scryptSync': fixed('password', 'salt', 16, { N: 2 }),
  'crypto.sign': fixed(null, Buffer.from('x'), privateKey),
  'crypto.verify': fixed(null, Buffer.from('x'), publicKey, signature),
  'zlib.brotliCompressSync': fixed('text'),
  'zlib.brotliDecompressSync': () => [zlib.brotliCompressSync('text')],
  'zlib.deflateSync': fixed('text'),
  'zlib.deflateRawSync': fixed('text'),
  'zlib.gunzipSync': () => [zlib.gzipSync('text')],
  'zlib.gzipSync': fixed('text'),
  'zlib.inflateSync': () => [zlib.deflateSync('text')],
  'zlib.inflateRawSync': () => [zlib.deflateRawSync('text')],
  'zlib.unzipSync': () => [zlib.gzipSync('text')],
  'zlib.zstdCompressSync': fixed('text'),
  'zlib.zstdDecompressSync': () => [zlib.zstdCompressSync('text')],
  'child_process.execFileSync': fixed(process.execPath, ['-p', '1']),
  'child_process.execSync': fixed(`"${process.execPath}" -p 1`),
  'child_process.spawnSync': fixed(process.execPath, ['-p', '1']),
  'Atomics.wait': () => [new Int32Array(new SharedArrayBuffer(4)), 0, 1],
  'JSON.parse': fixed('{"a":[1]}'),
  'JSON.stringify': fixed({ a: [1] }),
  'Date.now': fixed(),
  'new Date()': fixed() // called as a function: a text
}

/** APIs whose function belongs to an object: its this. */
const RECEIVERS = {
  'crypto.createHash().update': () => crypto.createHash('sha256'),
  'crypto.createHmac().update': () => crypto.createHmac('sha256', 'key'),
  'crypto.createSign().sign': () => crypto.createSign('sha256').update('x'),
  'crypto.createVerify().verify': () => crypto.createVerify('sha256').update('x')
}

/** Results that differ from one call to the next in value, not in kind. */
const VARYING = new Set(['crypto.createSign().sign', 'crypto.generateKeyPairSync', 'crypto.generateKeySync', 'crypto.generatePrimeSync',
  'crypto.randomBytes', 'crypto.randomFillSync', 'crypto.randomUUID', 'crypto.randomUUIDv7', 'child_process.spawnSync', 'Date.now', 'new Date()',
  'fs.fstatSync', 'fs.lstatSync', 'fs.statSync', 'fs.statfsSync', 'fs.mkdtempSync', 'fs.mkdtempDisposableSync', 'fs.openSync', 'fs.opendirSync'])

module.exports = { ARGUMENTS, RECEIVERS, VARYING }
