'use strict'

// The fixture application that waits, in a folder of its own with its database package, and the toy database that it asks.

const fs = require('node:fs')
const net = require('node:net')
const path = require('node:path')
const { makeScratch } = require('../store/scratch')
const { start } = require('../process/child')
const { listen } = require('../http/listening')

const TOKEN = 'a-token-of-at-least-thirty-two-characters'
const FIXTURES = path.join(__dirname, '..', 'fixtures', 'waits')

/** A server that answers each line `<number> <milliseconds>` with the number, after that time. */
async function startToyDb (t) {
  const server = net.createServer(socket => {
    let rest = ''
    socket.setNoDelay(true).setEncoding('latin1').on('error', () => {}).on('data', text => {
      const lines = (rest + text).split('\n')
      rest = lines.pop()
      for (const line of lines) {
        const [id, ms] = line.split(' ')
        setTimeout(() => socket.write(`${id}\n`), Number(ms))
      }
    })
    t.after(() => socket.destroy())
  })
  return listen(t, server)
}

/**
 * @param {import('node:test').TestContext} t
 * @param {{ env?: object, args?: string[], fixture?: string, packages?: string[] }} [options]  files of the fixtures; a package is in node_modules under its name
 */
async function startWaiting (t, { env = {}, args = [], fixture = 'app.js', packages = ['toy-db'] } = {}) {
  const dbPort = await startToyDb(t)
  const folder = makeScratch(t)
  fs.writeFileSync(path.join(folder, 'package.json'), '{ "name": "waiting" }')
  for (const name of packages) {
    const packageFolder = path.join(folder, 'node_modules', name)
    fs.mkdirSync(packageFolder, { recursive: true })
    fs.writeFileSync(path.join(packageFolder, 'package.json'), JSON.stringify({ name, main: 'index.js' }))
    fs.copyFileSync(path.join(FIXTURES, `${name}.js`), path.join(packageFolder, 'index.js'))
  }
  const file = path.join(folder, 'app.js')
  fs.copyFileSync(path.join(FIXTURES, fixture), file)
  const source = fs.readFileSync(file, 'utf8').split('\n')
  const app = start(t, [...args, file], {
    cwd: folder,
    env: { TOY_DB_PORT: String(dbPort), LOOPSCOPE: path.join(__dirname, '..', '..'), LOOPSCOPE_TOKEN: TOKEN, LOOPSCOPE_ADMIN_LISTEN: '127.0.0.1:0', TMPDIR: folder, ...env }
  })
  const { port } = await app.until(/^listening$/)
  const admin = (await app.until(/^diagnostics at /)).url.replace(/\/(#.*)?$/, '')
  const ask = async (url, headers = {}) => {
    const response = await fetch(url, { headers: { connection: 'close', ...headers } })
    const text = await response.text()
    return { status: response.status, text, value: /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : text }
  }
  return {
    ...app,
    admin,
    get: name => ask(`http://127.0.0.1:${port}/${name}`),
    abort: name => fetch(`http://127.0.0.1:${port}/${name}`, { signal: AbortSignal.timeout(100) }).catch(() => {}),
    truth: async () => JSON.parse((await ask(`http://127.0.0.1:${port}/truth`)).text),
    read: async (target = '/waits') => ask(admin + target, { authorization: `Bearer ${TOKEN}` }),
    /** The line of the source that has this text. */
    lineOf: text => source.findIndex(line => line.includes(text)) + 1
  }
}

module.exports = { startWaiting, TOKEN }
