'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { handedOverAt, keptByPackage, keptLineOf, madeAt, onlyLineOf, wrappedAt } = require('../../lib/observer/memory/sites/kept-line')

/** The line that keeps what the function at the beginning of the text allocates. @param {string} text  @param {string | null} [holder] */
function keptIn (text, holder = null) {
  const lines = text.split('\n')
  const source = { read: (/** @type {string} */ _, /** @type {number} */ from, to = from) => lines.slice(from - 1, to) }
  const found = keptLineOf([{ function: 'f', file: 'app.js', line: 1, column: 1 }], holder, source)
  return found && [found.keptAt.line, found.holder]
}

test('the only line that adds to something outside the function', () => {
  assert.deepEqual(keptIn("(req, res) => {\n  const rows = read(req)\n  cache.set(req.url, rows)\n  res.set('x', 'y')\n  res.end()\n})\nother.set(1, 2)"), [3, 'Map'])
  assert.deepEqual(keptIn('(req, res) => {\n  bus.on("change", () => res.write("x"))\n}'), [2, 'listeners'])
  assert.deepEqual(keptIn('(job) {\n  this.queue.push(job)\n}'), [2, 'Array'])
  assert.deepEqual(keptIn('(id) {\n  sessions[id] = { at: Date.now() }\n}'), [2, 'Map'])
  assert.deepEqual(keptIn("async () => {\n  await once(bus, 'ready')\n}"), [2, 'listeners'])
  assert.equal(keptIn("async (socket) => {\n  await once(socket, 'close')\n}"), null)
  assert.deepEqual(keptIn('() => {\n  setInterval(() => poll(), 1000)\n}'), [2, 'timers'])
  assert.deepEqual(keptIn('(req, res) => {\n  setTimeout(() => res.end(), 5000)\n  setInterval(() => poll(res), 1000)\n}'), [3, 'timers'])
  assert.deepEqual(keptIn('(id) => {\n  setTimeout(() => forget(id), 86_400_000)\n}'), [2, 'timers'])
  assert.deepEqual(keptIn('() => {\n  return Promise.race([closing, answer()])\n}'), [2, 'promises'])
})

test('a call at the end of a chain, in a line of its own', () => {
  assert.deepEqual(keptIn('(symbol) => {\n  const rows = read(symbol)\n  prices$.pipe(\n    filter(tick => tick === symbol),\n  ).subscribe(() => rows)\n}'), [5, 'listeners'])
  assert.deepEqual(keptIn('(id) => {\n  bus\n    .on("open", () => id)\n}'), [3, 'listeners'])
  assert.deepEqual(keptIn('(id) => {\n  fromEvent(bus, "tick").pipe(take(1e9)).subscribe(() => id)\n}'), [2, 'listeners'])
  assert.equal(keptIn('(rows) => {\n  of(rows).pipe(\n    map(row => row.id)\n  ).subscribe(log)\n}'), null)
  assert.equal(keptIn('(path) => {\n  createReadStream(path)\n    .on("error", log)\n}'), null)
})

test('what is local, a parameter, or of the request keeps nothing', () => {
  assert.equal(keptIn('(list) {\n  const out = []\n  for (const one of list) out.push(one)\n  return out\n}'), null)
  assert.equal(keptIn('(out, one) => {\n  out.push(one)\n}'), null)
  assert.equal(keptIn('(req, res) => {\n  req.on("data", () => {})\n}'), null)
  assert.equal(keptIn('() => {\n  log("cache.set(1)") // cache.set(1)\n}'), null)
  assert.equal(keptIn('(value) => {\n  headers.set("x", value)\n}'), null)
  assert.deepEqual(keptIn('(value) => {\n  headers.set("x", value)\n}\nconst headers = new Map()'), [2, 'Map'])
  assert.deepEqual(keptIn('(entry) => {\n  log.push(entry)\n}\nconst log = []'), [2, 'Array'])
})

test('what belongs to an object that is being made goes with it', () => {
  const lines = ['class Client {', '  constructor (url) {', '    this.sockets.push(open(url))', '    this.timer = setInterval(() => this.check(), 1e4)', '  }', '}']
  const source = { read: (/** @type {string} */ _, /** @type {number} */ from, to = from) => lines.slice(from - 1, to) }
  assert.equal(keptLineOf([{ function: 'Client', file: 'app.js', line: 2, column: 15 }], null, source)?.keptAt.line, 4)
})

test('of several lines none, unless the stack shows what holds it', () => {
  const text = '() => {\n  cache.set(1, rows)\n  queue.push(rows)\n}'
  assert.equal(keptIn(text), null)
  assert.deepEqual(keptIn(text, 'Map'), [2, 'Map'])
})

test('a line that adds a copy of a collection explains what the stack shows', () => {
  const text = '(at, cell) {\n  this.#undo.push(structuredClone(this.#cells))\n  this.#cells.set(at, cell)\n}'
  assert.deepEqual(keptIn(text, 'Map'), [2, 'Array'])
  assert.deepEqual(keptIn(text.replace('structuredClone', 'new Map'), 'Map'), [2, 'Array'])
  assert.deepEqual(keptIn(text.replace('structuredClone(this.#cells)', 'new Map()'), 'Map'), [3, 'Map'])
})

test('an iterator of events, and a signal that follows others', () => {
  assert.deepEqual(keptIn("async (user) => {\n  const events = on(bus, 'tick')\n  return (await events.next()).value\n}"), [2, 'listeners'])
  assert.equal(keptIn("async (socket) => {\n  for await (const [data] of on(socket, 'data')) read(data)\n}"), null)
  for (const name of ['any', 'signal']) {
    assert.deepEqual(keptIn(`async (own) => {\n  const ${name} = AbortSignal.any([shutdown.signal, own])\n  ${name}.addEventListener('abort', () => {})\n}`), [2, 'listeners'])
  }
  assert.deepEqual(keptIn('(own) => {\n  cache.set(1, AbortSignal.any([shutdown.signal, own]))\n}'), [2, 'Map'])
})

test('a collection is recognized however it is written', () => {
  for (const [text, holder] of [
    ['this.#cache?.set(id, rows)', 'Map'],
    ['cache[keys[0]] = rows', 'Map'],
    ['sessions[`user ${id}`] = rows', 'Map'], // eslint-disable-line no-template-curly-in-string
    ['Object.assign(cache, { [id]: rows })', 'Map'],
    ['state = { ...state, [id]: rows }', 'Map'],
    ['entries[entries.length] = rows', 'Array'],
    ['list = [...list, rows]', 'Array'],
    ['list = list.concat(rows)', 'Array'],
    ['req.app.locals.seen.push(rows)', 'Array'],
    ['(groups[id] ??= []).push(rows)', 'Array'],
    ['groups.get(id).push(rows)', 'Array'],
    ['const save = _.debounce(() => persist(rows), 1e7)', 'timers'],
    ['registry.register(handle, { handle })', 'FinalizationRegistry'],
    ['head = { rows, next: head }', 'linked list'],
    ['pipeline = compose(pipeline, text => rows.get(text))', 'linked list'],
    ['this.tail.then(() => rows)', 'promises'],
    ['client.interceptors.request.use(config => rows)', 'listeners']
  ]) assert.deepEqual(keptIn(`(req, id) => {\n  const rows = read(id)\n  ${text}\n}`), [3, holder], text)
  assert.deepEqual(keptIn('() => {\n  const before = config\n  const print = () => log(before)\n  config = {\n    text: () => 1\n  }\n}'), [4, 'linked list'])
  for (const text of ["cache['x'] = rows", 'slots[0] = rows', 'config = { rows }', 'await new Promise(resolve => setTimeout(resolve, 5))', 'names[id] === rows', 'read(id).then(() => rows)', 'make(id).push(rows)']) {
    assert.equal(keptIn(`(req, id) => {\n  const rows = read(id)\n  ${text}\n}`), null, text)
  }
})

test('a variable for an entry of a collection keeps as the collection does', () => {
  const after = (/** @type {string} */ text) => keptIn(`(id, message) {\n  ${text}\n  room.history.push(message)\n}`)
  for (const text of ['const room = rooms.get(id)', 'const room = rooms[id] ?? none', 'const { room } = this', 'const room = roomOf(id)']) assert.deepEqual(after(text), [3, 'Array'], text)
  for (const text of ['const room = { history: [] }', 'const room = new Room()', 'const room = await getRoom(id)', 'const room = readRoom(id)', 'const room = message.room']) assert.equal(after(text), null, text)
  assert.deepEqual(keptIn('(id, one) {\n  const list = lists.get(id) ?? []\n  list.push(one)\n  lists.set(id, list)\n}'), [4, 'Map'])
  assert.deepEqual(keptIn("(request) => {\n  const socket = request.raw.socket\n  socket.on('close', () => {})\n}"), [3, 'listeners'])
})

test('what the function around it declares goes with its call', () => {
  const lines = ['(items) => {', '  const rows = []', '  items.forEach(item => {', '    rows.push(parse(item))', '  })', '  cache.set(items, rows)', '}']
  const source = { read: (/** @type {string} */ _, /** @type {number} */ from, to = from) => lines.slice(from - 1, to) }
  const chain = [{ function: '', file: 'app.js', line: 3, column: 17 }, { function: 'keep', file: 'app.js', line: 1, column: 1 }]
  for (const holder of [null, 'Array']) assert.equal(keptLineOf(chain, holder, source)?.keptAt.line, 6)
})

test('the inner function counts, also where the stack shows what an outer one holds', () => {
  const lines = ['(step) => {', '  emitter.once(step, () => step)', '}', 'main () {', '  setInterval(() => run(), 50)', '}']
  const source = { read: (/** @type {string} */ _, /** @type {number} */ from, to = from) => lines.slice(from - 1, to) }
  const chain = [{ function: 'once', file: 'app.js', line: 1, column: 1 }, { function: 'main', file: 'app.js', line: 4, column: 6 }]
  assert.deepEqual(keptLineOf(chain, 'timers', source), { keptAt: { file: 'app.js', line: 2, text: 'emitter.once(step, () => step)' }, holder: 'listeners' })
})

test('a call of a package that keeps counts where the stack shows the package', () => {
  const text = '(req, res) => {\n  seconds.observe({ path: req.url }, 1)\n  limit(() => send(req))\n}'
  assert.equal(keptIn(text), null)
  assert.deepEqual(keptIn(text, 'metric labels'), [2, 'metric labels'])
  assert.deepEqual(keptIn(text, 'queued work'), [3, 'queued work'])
})

test('what a collection holds stays named', () => {
  assert.deepEqual(keptIn('() => {\n  const socket = connect()\n  socket.on("error", () => {})\n  open.push(socket)\n}', 'sockets'), [4, 'sockets'])
  assert.deepEqual(keptIn('() => {\n  const socket = net.connect(80)\n  open.push(socket)\n}', 'sockets'), [3, 'sockets'])
  assert.deepEqual(keptIn('() => {\n  const socket = net.connect(80)\n  open.push(socket)\n}\nopen.length = 0', 'sockets'), [3, 'sockets'])
  const session = '() => {\n  return new Promise(resolve => {\n    const session = http2.connect(url)\n    session.request().on("end", resolve)\n  })\n}'
  assert.deepEqual(keptIn(session, 'sockets'), [3, 'sockets'])
  const call = '() => {\n  const agent = new http.Agent({ keepAlive: true })\n  return new Promise(resolve => http.get({ agent }, resolve))\n}'
  assert.deepEqual([keptIn(call, 'sockets'), keptIn(call)], [[2, 'sockets'], [3, 'promises']])
})

test('the caller is searched where the function itself keeps nothing', () => {
  const lines = ['const read = () => parse()', '', '() => {', '  cache.set(1, read())', '}']
  const source = { read: (/** @type {string} */ _, /** @type {number} */ from, to = from) => lines.slice(from - 1, to) }
  const chain = [{ function: 'read', file: 'app.js', line: 1, column: 14 }, { function: 'handler', file: 'app.js', line: 3, column: 1 }]
  assert.equal(keptLineOf(chain, null, source)?.keptAt.line, 4)
})

test('a function that V8 may have inlined is searched where those on the stack keep nothing', () => {
  const keep = 'function remember (row) {\n  rows.push(row)\n}\n'
  assert.deepEqual(keptIn(`(req, res) => {\n  remember(read(req))\n}\n${keep}`), [5, 'Array'])
  assert.deepEqual(keptIn('(req, res) => {\n  store.remember(read(req))\n}\nclass Store {\n  async remember (row) {\n    this.rows[row.id] = row\n  }\n}'), [6, 'Map'])
  assert.deepEqual(keptIn('(req, res) => {\n  res.json(all())\n}\nconst all = () => settings()\nconst settings = () => {\n  delete require.cache[path]\n  return require(path)\n}', 'modules'), [7, 'modules'])
  assert.equal(keptIn(`(req, res) => {\n  remember(read(req))\n}\n${keep}const read = req => cache.set(req.url, req)`), null)
  assert.equal(keptIn(`(req, res) => {\n  read(req)\n}\n${keep}`), null)
})

test('of functions that are called those count that are called on something that outlives the call', () => {
  const scopes = 'class Scope {\n  createScope () {\n    const scope = new Scope()\n    this.children.push(scope)\n    return scope\n  }\n  register (name, value) {\n    this.values.set(name, value)\n  }\n}'
  assert.deepEqual(keptIn(`(req, res) => {\n  const scope = root.createScope()\n  scope.register('user', read(req))\n}\n${scopes}`), [8, 'Array'])
  assert.deepEqual(keptIn(`(req, res) => {\n  const scope = root.createScope()\n}\n${scopes.replace('createScope ()', 'public createScope (): Scope')}`), [7, 'Array']) // TypeScript
  assert.deepEqual(keptIn(`(req, res) => {\n  const scope = scopeFor(req)\n  scope.register('user', read(req))\n}\n${scopes}`), [12, 'Map'])
})

test('a function that may have been inlined counts before a line that loses what it adds', () => {
  const listen = 'job => {\n  running.add(job.id)\n  reply(resize(job))\n  running.delete(job.id)\n}\n'
  assert.deepEqual(keptIn(`${listen}function resize (job) {\n  done.push(steps(job))\n}`), [7, 'Array'])
  assert.deepEqual(keptIn(`${listen}function resize (job) {\n  return steps(job)\n}`), [2, 'Set'])
})

test('a function of another file is searched as well', () => {
  const files = /** @type {Record<string, string>} */ ({
    'app/routes.js': "const store = require('../store')\n(req, res) => {\n  store.remember(read(req))\n}",
    'store/index.js': 'module.exports = {\n  remember (row) {\n    rows.push(row)\n  }\n}'
  })
  const source = { read: (/** @type {string} */ file, /** @type {number} */ from, to = from) => files[file]?.split('\n').slice(from - 1, to) ?? [] }
  assert.deepEqual(keptLineOf([{ function: '', file: 'app/routes.js', line: 2, column: 1 }], null, source)?.keptAt, { file: 'store/index.js', line: 3, text: 'rows.push(row)' })
})

test('the only line of a file that keeps something: what a function throws, or gives to a request, may be kept by an error handler or a hook', () => {
  const only = (/** @type {string} */ text) => onlyLineOf('app.js', sourceOf({ 'app.js': text }))?.keptAt.line ?? null
  const find = 'async function find (id) {\n  const tried = []\n  for (const shard of shards) shard.look(row => {\n    tried.push(row)\n  })\n  throw new NotFound(tried)\n}\n'
  assert.equal(only(`${find}app.use((error, req, res, next) => {\n  failures[req.url] = error\n})`), 9)
  assert.equal(only(`${find}fastify.addHook('onResponse', async (request, reply) => {\n  counts.set(reply.code, (counts.get(reply.code) ?? 0) + 1)\n  request.server.audit.push(request.changes)\n})`), 10)
  assert.equal(only(`${find}class Store {\n  async save (row) {\n    if (row.isNew) {\n      this.#rows.set(row.id, row)\n    }\n  }\n}`), 11)
  assert.equal(only(`${find}const recent = []\nconst note = id => {\n  recent.push(id)\n  if (recent.length > 100) recent.shift()\n}`), null)
  assert.equal(only(`${find}const one = id => ones.push(id)\nconst other = id => others.push(id)`), null)
  assert.equal(only(find), null)
})

test('a listener of a signal', () => {
  assert.deepEqual(keptIn('(id, signal) => {\n  return new Promise((resolve, reject) => {\n    signal.addEventListener("abort", () => reject(id))\n  })\n}'), [3, 'listeners'])
  assert.equal(keptIn('(id, signal) => {\n  signal.addEventListener("abort", stop)\n  signal.removeEventListener("abort", stop)\n}'), null)
})

test('of several lines the one counts from which nothing is removed, and that holds what is allocated', () => {
  const run = (/** @type {string[]} */ ...lines) => keptIn(`async (job) {\n  ${lines.join('\n  ')}\n}`)
  assert.deepEqual(run('this.running.set(job.id, job)', 'this.history.push(work(job))', 'this.running.delete(job.id)'), [3, 'Array'])
  assert.deepEqual(run('this.counts[job.kind] = (this.counts[job.kind] ?? 0) + 1', 'this.history.push(work(job))'), [3, 'Array'])
  assert.deepEqual(run('attempts.set(job.id, (attempts.get(job.id) || 0) + 1)', 'waiting.push(work(job))', 'attempts.delete(job.id)', 'waiting.shift()'), [3, 'Array'])
  assert.deepEqual(run('if (!rooms.has(job.id)) rooms.set(job.id, new Set())', 'members.push(job)'), [3, 'Array'])
  assert.deepEqual(run('tokens.set(job.id, job)', 'setTimeout(() => tokens.delete(job.id), DAY_MS)'), [3, 'timers'])
  assert.deepEqual(run('inflight.set(job.id, work(job))', 'job.done.then(() => inflight.delete(job.id))'), [2, 'Map'])
  assert.deepEqual(run('const timer = setTimeout(stop, LONG_MS)', 'await once(bus, "x")', 'clearTimeout(timer)'), [3, 'listeners'])
  assert.equal(run('one.set(job.id, job)', 'other.set(job.id, job)'), null)
})

test('a method that looks something up in what outlives the call', () => {
  const members = (/** @type {string} */ body) => `(room, socket) {\n  this.#members(room).add(socket)\n}\n  #members (room) {\n    ${body}\n  }`
  assert.deepEqual(keptIn(members('if (!this.#rooms.has(room)) this.#rooms.set(room, new Set())\n    return this.#rooms.get(room)')), [2, 'Set'])
  assert.equal(keptIn(members('return new Set(room)')), null)
})

test('what lives until it is closed', () => {
  assert.deepEqual(keptIn('(job) => {\n  const { port1, port2 } = new MessageChannel()\n  return new Promise(resolve => {\n    port1.on("message", resolve)\n  })\n}'), [2, 'handles'])
  assert.deepEqual(keptIn('(job) => {\n  const { port1, port2 } = new MessageChannel()\n  return new Promise(resolve => {\n    port1.once("message", () => port1.close())\n  })\n}'), [2, 'handles'])
  assert.deepEqual(keptIn('(path) => {\n  fs.watch(path, () => load(path))\n}'), [2, 'handles'])
  assert.deepEqual(keptIn('(id) => {\n  return new Promise((resolve, reject) => {\n    http.get(url, response => resolve(response.statusCode)).on("error", reject)\n  })\n}'), [2, 'promises'])
  assert.deepEqual(keptIn('(id) => {\n  return new Promise(resolve => {\n    http.get(url, response => resolve(response.statusCode))\n  })\n}', 'sockets'), [3, 'sockets'])
})

test('a loop that waits for the next event', () => {
  assert.deepEqual(keptIn('async (req, res) => {\n  for await (const score of pubsub.asyncIterableIterator([req.url])) {\n    res.write(score)\n  }\n}'), [2, 'promises'])
  assert.deepEqual(keptIn("async () => {\n  for await (const [message] of on(bus, 'message')) handle(message)\n}"), [2, 'promises'])
  assert.equal(keptIn('async (req) => {\n  for await (const chunk of req) count(chunk)\n  for await (const row of readRows(req)) count(row)\n}'), null)
})

/** @param {Record<string, string>} files */
function sourceOf (files) {
  return { read: (/** @type {string} */ file, /** @type {number} */ from, to = from) => files[file]?.split('\n').slice(from - 1, to) ?? [] }
}
const at = (/** @type {string} */ name, /** @type {string} */ file, /** @type {number} */ line, column = 1) => ({ function: name, file, line, column })

test('of several objects that are registered, the one that the value held for it refers to', () => {
  const registered = (/** @type {string[]} */ ...lines) => keptIn(`(req, res) => {\n${lines.join('\n')}\n}`, 'FinalizationRegistry')
  assert.deepEqual(registered('registry.register(row, row.id, row)', 'registry.register(session, () => session.end())'), [3, 'FinalizationRegistry'])
  assert.deepEqual(registered('registry.register(row, id, row)', 'registry.register(session, session)'), [3, 'FinalizationRegistry'])
  assert.equal(registered('registry.register(row, id, row)', 'registry.register(session, name)'), null)
})

test('the line that gives a function to a package which keeps its results, also where the stack shows no package', () => {
  const app = '// memoize(load)\nasync function load (id) {\n  return rows(id)\n}\nconst loadOnce = pMemoize(load)\nconst cache = new LRUCache({\n  max: 1e6,\n  fetchMethod: async id => rows(id)\n})'
  assert.deepEqual(wrappedAt([at('load', 'app.js', 2)], null, sourceOf({ 'app.js': app })), { keptAt: { file: 'app.js', line: 5, text: 'const loadOnce = pMemoize(load)' }, holder: 'memoized results' })
  assert.equal(wrappedAt([at('fetchMethod', 'app.js', 8, 16)], 'cached values', sourceOf({ 'app.js': app }))?.keptAt.line, 6)
  assert.equal(wrappedAt([at('other', 'app.js', 2)], null, sourceOf({ 'app.js': app })), null)
  const caller = 'const page = memoize(id => draw(id))\napp.get("/", (req, res) => {\n  res.end(page(req.url))\n  cache.get(req.url)\n})\nconst cache = new LRUCache({ max: 5 })'
  const handler = at('(anonymous)', 'app.js', 2, 14)
  assert.equal(wrappedAt([handler], null, sourceOf({ 'app.js': caller }))?.keptAt.line, 1, 'V8 has inlined what it calls')
  assert.equal(wrappedAt([handler], null, sourceOf({ 'app.js': caller.replace('page(', 'show(') })), null, 'a cache that is only asked')
})

test('the line that calls a package which keeps what it is given', () => {
  const registry = 'node_modules/registry/index.js'
  const files = {
    'app.js': 'function loggerOf (id) {\n  return registry.get(id, { id })\n}\nfunction breakerOf (id) {\n  return new Breaker(() => call(id))\n}\nfunction parse (text) {\n  const parser = create()\n  return parser.get(text)\n}',
    [registry]: 'class Registry {\n  get (id, options) {\n    return this.create(id, options)\n  }\n  create (id, options) {\n    this.loggers.set(id, make(options))\n  }\n}',
    'node_modules/breaker/index.js': 'class Breaker {\n  constructor (action) {\n    this.stats = action\n  }\n}\nclass Stats {\n  constructor () {\n    this.timer = setInterval(() => this.next(), 1e3)\n  }\n}'
  }
  const get = [at('Registry.get', registry, 2, 7), at('create', registry, 5, 9)]
  assert.deepEqual(keptByPackage(at('loggerOf', 'app.js', 1), get, sourceOf(files))?.keptAt, { file: 'app.js', line: 2, text: 'return registry.get(id, { id })' })
  assert.equal(keptByPackage(at('parse', 'app.js', 7), get, sourceOf(files)), null) // local
  assert.equal(keptByPackage(at('loggerOf', 'app.js', 1), get.slice(0, 1), sourceOf(files))?.keptAt.line, 2) // the other one may be inlined
  assert.equal(keptByPackage(at('loggerOf', 'app.js', 1), get.slice(0, 1), sourceOf({ ...files, [registry]: files[registry].replace('this.loggers.set', 'make') })), null) // which keeps nothing
  const breaker = [at('Breaker', 'node_modules/breaker/index.js', 2, 15), at('Stats', 'node_modules/breaker/index.js', 7, 15)]
  assert.deepEqual(keptByPackage(at('breakerOf', 'app.js', 4), breaker, sourceOf(files)), { keptAt: { file: 'app.js', line: 5, text: 'return new Breaker(() => call(id))' }, holder: 'timers' })
  assert.equal(keptByPackage(at('breakerOf', 'app.js', 4), breaker.slice(0, 1), sourceOf(files)), null)
})

test('the line that calls a package of which V8 has inlined the function that is called', () => {
  const file = 'node_modules/mustache/mustache.js'
  const files = {
    'app.js': "const Mustache = require('mustache')\nimport { compile as make, render } from 'mustache'\nfunction greet (user) {\n  const template = templateOf(user)\n  return Mustache.render(template, user)\n}\nfunction mail (user) {\n  return render(user.template, user)\n}",
    [file]: 'mustache.render = function render (template, view) {\n  return writer.render(template, view)\n}\nWriter.prototype.render = function render (template, view) {\n  return show(this.parse(template), view)\n}\nWriter.prototype.parse = function parse (template) {\n  const cache = this.templateCache\n  cache.set(template, parseTemplate(template))\n}\nfunction parseTemplate (text) {\n  return text.split()\n}'
  }
  const [render, parse, parseTemplate] = [at('render', file, 1, 19), at('parse', file, 7, 32), at('parseTemplate', file, 11)]
  for (const frames of [[render, parse, parseTemplate], [parse, parseTemplate], [render, parseTemplate]]) {
    assert.equal(keptByPackage(at('greet', 'app.js', 3), frames, sourceOf(files))?.keptAt.line, 5)
  }
  assert.equal(keptByPackage(at('mail', 'app.js', 7), [parse], sourceOf(files))?.keptAt.line, 8)
  assert.equal(keptByPackage(at('greet', 'app.js', 3), [parseTemplate], sourceOf(files)), null)
})

test('the only line that hands something over to what outlives the call', () => {
  const handed = (/** @type {string} */ text) => handedOverAt([at('f', 'app.js', 1)], sourceOf({ 'app.js': text }))?.keptAt.line ?? null
  assert.equal(handed('(req, res) => {\n  const event = read(req)\n  audit$.next(event)\n  log.info(event)\n  res.end()\n}'), 3)
  assert.equal(handed("(req, res) => {\n  texts.addBundle('en', read(req))\n  res.json(texts.get('key'))\n}"), 2)
  assert.equal(handed('(req, res) => {\n  audit$.next(req)\n  store.save(req)\n}'), null)
  assert.equal(handed("(req, res) => {\n  const list = []\n  list.add(req)\n  bus.emit('x', req)\n  fs.writeFile(path, text)\n}"), null)
})

test('functions that a file exports are searched as well, also those with the name of a builtin method', () => {
  const files = /** @type {Record<string, string>} */ ({
    'app/routes.js': "const rooms = require('./rooms')\n(socket) => {\n  rooms.join('lobby', socket)\n  gallery.add(socket.id, socket)\n}\nimport { gallery } from './gallery.mjs'",
    'app/rooms.js': 'exports.join = (name, socket) => {\n  const room = rooms[name] || (rooms[name] = { members: [], since: Date.now() })\n  room.members.push(socket)\n}',
    'app/gallery.mjs': 'export const gallery = new Gallery()\nclass Gallery {\n  add (id, socket) {\n    count(id)\n  }\n}'
  })
  assert.deepEqual(keptLineOf([at('', 'app/routes.js', 2)], null, sourceOf(files))?.keptAt, { file: 'app/rooms.js', line: 3, text: 'room.members.push(socket)' })
})

test('the only line of the files that a file requires', () => {
  const files = /** @type {Record<string, string>} */ ({
    'app.js': "const { afterCommit } = require('./hooks')\napp.use((ctx, next) => requests.run({ user: userOf(ctx) }, next))\napp.use(() => afterCommit(log))",
    'hooks.js': 'const hooks = []\nexports.afterCommit = fn => {\n  hooks.push(() => fn())\n  for (const one of list) one.parts.forEach(part => part.seen.push(fn))\n}'
  })
  assert.deepEqual(onlyLineOf('app.js', sourceOf(files))?.keptAt, { file: 'hooks.js', line: 3, text: 'hooks.push(() => fn())', isGuess: true })
  assert.equal(onlyLineOf('app.js', sourceOf({ ...files, 'hooks.js': `${files['hooks.js']}\nexports.other = id => others.push(id)` })), null)
})

test('the line that makes what keeps the rest', () => {
  const files = /** @type {Record<string, string>} */ ({
    'app.js': "const { tracer } = require('./tracing')\n(req, res) => {\n  const span = tracer.startSpan('x')\n  span.end()\n}\napp.use(rateLimit({ windowMs: 1e9 }))",
    'tracing.js': '// new InMemorySpanExporter()\nconst exporter = new InMemorySpanExporter()'
  })
  assert.deepEqual(madeAt([at('', 'app.js', 2)], 'spans', sourceOf(files))?.keptAt, { file: 'tracing.js', line: 2, text: 'const exporter = new InMemorySpanExporter()' })
  assert.equal(madeAt([at('', 'app.js', 2)], 'rate limits in memory', sourceOf(files))?.keptAt.line, 6)
  assert.equal(madeAt([at('', 'app.js', 2)], 'Map', sourceOf(files)), null)
})

test('the state that a reducer gets, URLs of Blobs, windows and performance entries', () => {
  assert.deepEqual(keptIn('rowAdded (state, action) {\n  state.items.push(action.payload)\n}'), [2, 'Array'])
  assert.equal(keptIn('sorted (state, order) {\n  state.items.push(order)\n}'), null)
  assert.deepEqual(keptIn('(req, res) => {\n  const url = URL.createObjectURL(new Blob([req.body]))\n  res.json({ url })\n}'), [2, 'object URLs'])
  assert.deepEqual(keptIn('(req, res) => {\n  const dom = new JSDOM(page)\n  res.send(dom.serialize())\n}', 'windows of jsdom'), [2, 'windows of jsdom'])
  assert.deepEqual(keptIn('(req, res) => {\n  performance.mark(req.id, { detail: req.query })\n}', 'performance entries'), [2, 'performance entries'])
  const timed = clear => keptIn(`(req, res) => {\n  performance.mark('a' + req.id)\n  answer(req, res)\n  performance.mark('b' + req.id)\n  performance.measure(req.id, 'a' + req.id, 'b' + req.id)\n  ${clear}\n}`, 'performance entries')
  assert.deepEqual([timed(''), timed('performance.clearMarks()')], [[2, 'performance entries'], [5, 'performance entries']], 'each of them keeps its entry, unless it is cleared')
})

test('a route that is added by a request', () => {
  assert.deepEqual(keptIn('(req, res) => {\n  const target = targetOf(req)\n  links.get(target.path, (req, res) => res.redirect(target.url))\n}'), [3, 'listeners'])
  assert.equal(keptIn('(req, res) => {\n  redis.get(req.url, (error, text) => res.send(text))\n  links.delete(keyOf(req))\n}'), null)
})

test('a constructor that registers what is made, also of the class that is extended', () => {
  const files = /** @type {Record<string, string>} */ ({
    'app.js': "const { Order } = require('./order')\n(req, res) => {\n  res.json(Order.of(req.body))\n}",
    'order.js': 'class Entity {\n  constructor (id) {\n    this.tags[id] = []\n    Entity.registry[id] = this\n  }\n}\nclass Order extends Entity {\n  static of (body) {\n    const order = new Order(body.id)\n    return order.with(body.lines)\n  }\n}\nclass Other {\n  constructor () {\n    all.push(this)\n  }\n}'
  })
  assert.deepEqual(keptLineOf([at('', 'app.js', 2)], null, sourceOf(files))?.keptAt, { file: 'order.js', line: 4, text: 'Entity.registry[id] = this' })
})

test('a lookup as compilers write it for older engines', () => {
  assert.deepEqual(keptIn('record(page, what) {\n  var _a;\n  const entries = (_a = this.byPage[page]) !== null && _a !== void 0 ? _a : (this.byPage[page] = []);\n  entries.push({ page, what });\n}'), [4, 'Array'])
})

test('what a function hands over to a package that its file has required', () => {
  const app = "const Handlebars = require('handlebars')\n(req, res) => {\n  Handlebars.registerPartial(req.id, compile(req.body))\n  Reflect.apply(res.send, res)\n}"
  assert.deepEqual(handedOverAt([at('', 'app.js', 2)], sourceOf({ 'app.js': app }))?.keptAt, { file: 'app.js', line: 3, text: 'Handlebars.registerPartial(req.id, compile(req.body))', isGuess: true })
})
