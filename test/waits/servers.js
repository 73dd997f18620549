'use strict'

// Real servers for the clients of this folder, each started for a test on a free port, with its files in a temporary folder; and a proxy before it that delays its
// answers. The clients: `npm install --no-save --prefix test/waits`.

const dgram = require('node:dgram')
const fs = require('node:fs')
const http = require('node:http')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { execFile, execFileSync, spawn } = require('node:child_process')
const { once } = require('node:events')
const { promisify } = require('node:util')
const { freePort, listen } = require('../http/listening')

const PACKAGES = path.join(__dirname, 'node_modules')

/**
 * @param {string} name  of a package
 * @param {string[]} [programs]  of Debian's package
 * @param {string} [debian]
 * @returns {string | false} for the option `skip` of a test
 */
function skipWithout (name, programs = [], debian = '') {
  if (!fs.existsSync(path.join(PACKAGES, name))) return `${name} not installed: npm install --no-save --prefix test/waits`
  const missing = programs.find(program => pathOf(program) === undefined)
  return missing !== undefined && `no ${missing} on this machine: apt-get install ${debian}`
}

/** @param {string} program */
function pathOf (program) {
  return [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin', ...postgresFolders()].map(folder => path.join(folder, program)).find(file => fs.existsSync(file))
}

/** Debian puts these programs into a folder of their version. */
function postgresFolders () {
  const root = '/usr/lib/postgresql'
  return fs.existsSync(root) ? fs.readdirSync(root).map(version => path.join(root, version, 'bin')) : []
}

/** @param {import('node:test').TestContext} t */
async function startRedis (t) {
  const folder = makeFolder(t)
  const port = await freePort()
  await startServer(t, 'redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no'], port)
  return port
}

/** @param {import('node:test').TestContext} t */
async function startMariadb (t) {
  const folder = makeFolder(t)
  const port = await freePort()
  const user = process.getuid?.() === 0 ? ['--user=root'] : []
  await promisify(execFile)(/** @type {string} */ (pathOf('mariadb-install-db')), ['--no-defaults', ...user, `--datadir=${folder}/data`, '--skip-test-db', '--auth-root-authentication-method=normal'])
  const own = [`--datadir=${folder}/data`, `--socket=${folder}/socket`, `--pid-file=${folder}/pid`]
  await startServer(t, 'mariadbd', ['--no-defaults', ...user, ...own, `--port=${port}`, '--bind-address=127.0.0.1', '--skip-name-resolve', '--innodb-buffer-pool-size=16M'], port)
  return port
}

/**
 * Its programs refuse to run as root: then they run as the user of Debian's package.
 * @param {import('node:test').TestContext} t
 */
async function startPostgres (t) {
  const user = process.getuid?.() === 0 ? userOf('postgres') : {}
  const folder = makeFolder(t, user.uid === undefined ? os.tmpdir() : '/tmp') // another user cannot look into a temporary folder of root
  const port = await freePort()
  if (user.uid !== undefined) fs.chownSync(folder, user.uid, user.gid)
  await promisify(execFile)(/** @type {string} */ (pathOf('initdb')), ['--pgdata', `${folder}/data`, '--username', 'root', '--auth', 'trust', '--no-sync', '--locale', 'C', '--encoding', 'UTF8'], { ...user, cwd: folder })
  await startServer(t, 'postgres', ['-D', `${folder}/data`, '-p', String(port), '-h', '127.0.0.1', '-k', folder, '-F', '-c', 'shared_buffers=16MB', '-c', 'max_connections=50'], port, user)
  return port
}

/** @param {string} name */
function userOf (name) {
  const [, , uid, gid] = (fs.readFileSync('/etc/passwd', 'utf8').split('\n').find(line => line.startsWith(`${name}:`)) ?? '').split(':').map(Number)
  return { uid, gid }
}

/**
 * @param {import('node:test').TestContext} t
 * @param {string} [parent]
 */
function makeFolder (t, parent = os.tmpdir()) {
  const folder = fs.mkdtempSync(path.join(parent, 'loopscope-waits-'))
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }))
  return folder
}

/**
 * @param {import('node:test').TestContext} t
 * @param {string} program
 * @param {string[]} args
 * @param {number} port
 * @param {{ uid?: number, gid?: number }} [user]
 */
async function startServer (t, program, args, port, user = {}) {
  const server = spawn(/** @type {string} */ (pathOf(program)), args, { stdio: 'ignore', ...user })
  const ended = once(server, 'exit')
  t.after(async () => {
    server.kill('SIGKILL')
    await ended
  })
  while (server.exitCode === null && !await isListening(port)) await new Promise(resolve => setTimeout(resolve, 50))
  if (server.exitCode !== null) throw new Error(`${program} ended with code ${server.exitCode}`)
}

/** @param {number} port */
async function isListening (port) {
  const socket = net.connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/**
 * Passes everything on, what the server says after `delayMs`.
 * @param {import('node:test').TestContext} t
 * @param {number} port  of the server
 */
async function startProxy (t, port) {
  const proxy = { port: 0, delayMs: 0 }
  const sockets = new Set()
  const server = net.createServer(client => {
    const upstream = net.connect(port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => { client.destroy(); upstream.destroy() })
    }
    client.pipe(upstream)
    upstream.on('data', data => setTimeout(() => client.write(data), proxy.delayMs))
  })
  t.after(() => { for (const socket of sockets) socket.destroy() })
  proxy.port = await listen(t, server)
  return proxy
}

/**
 * A name server: every name has the address 127.0.0.1.
 * @param {import('node:test').TestContext} t
 * @param {number} delayMs
 */
async function startNameServer (t, delayMs) {
  const socket = dgram.createSocket('udp4')
  let isOpen = true
  socket.on('message', (query, { port, address }) => setTimeout(() => { if (isOpen) socket.send(addressFor(query), port, address) }, delayMs))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => {
    isOpen = false
    socket.close()
  })
  return socket.address().port
}

/** @param {Buffer} query */
function addressFor (query) {
  const question = query.subarray(12, query.indexOf(0, 12) + 5)
  const header = Buffer.from([query[0], query[1], 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0])
  return Buffer.concat([header, question, Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1])])
}

/**
 * A file whose readers wait until the next of many writers comes.
 * @param {import('node:test').TestContext} t
 * @param {number} everyMs
 */
function startSlowFile (t, everyMs) {
  const file = path.join(makeFolder(t), 'catalog')
  execFileSync('mkfifo', [file])
  const write = () => fs.open(file, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK, (error, fd) => {
    if (!error) fs.write(fd, 'text', () => fs.close(fd, () => {})) // else nobody reads
  })
  const timer = setInterval(write, everyMs)
  t.after(() => clearInterval(timer))
  return file
}

/**
 * A server that ends each connection after one answer.
 * @param {import('node:test').TestContext} t
 * @param {number} delayMs
 */
async function startClosingServer (t, delayMs) {
  const server = http.createServer((request, response) => setTimeout(() => response.writeHead(200, { connection: 'close' }).end('{}'), delayMs))
  return listen(t, server)
}

/** @param {string} name  of a client's package */
function load (name) {
  return require(path.join(PACKAGES, name))
}

module.exports = { load, pathOf, skipWithout, startClosingServer, startMariadb, startNameServer, startPostgres, startProxy, startRedis, startSlowFile }
