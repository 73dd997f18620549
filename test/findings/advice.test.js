'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { findFindings } = require('../../lib/observer/findings/find-findings')
const { PLACE, readings, spot, stall } = require('./readings')
const { lineOf, routeOf } = require('./waiting')

const findIn = changes => findFindings(readings(changes), { appName: 'shop' }).findings
const ask = (hotSpot, changes) => findIn({ activity: { busyMs: 33_000, hotSpots: [hotSpot] }, ...changes })[0]
const askAll = (...hotSpots) => findIn({ activity: { busyMs: 33_000, hotSpots } })

test('conversions, copies and objects that are made again and again have advice of their own', () => {
  const asked = (call, via = null) => ask(spot({ culprit: { call, via } }))
  const cases = [
    ['concat', /collect the parts in an array/], ['Array.concat', /join them once/], ['inspect', /test the log level first/], ['get stack', /stackTraceLimit/],
    ['Intl.NumberFormat', /make one Intl formatter/], ['Date.toLocaleDateString', /make one Intl formatter/], ['RegExp', /make the expression once/], ['postMessage', /transfer ArrayBuffers/],
    ['setImmediate', /wait for what happens/], ['Array.includes', /put the values into a Set/], ['Array.shift', /go through a long array by index/],
    ['ChildProcess.send', /let it load data that does not change/], ['runInNewContext', /compile the code once/], ['emit', /one listener that looks up/], ['addEventListener', /removeEventListener/], ['getEntriesByName', /what performance\.measure\(\) returns/], ['Hash.update', /createReadStream/], ['update', /createReadStream/]
  ]
  for (const [call, instead] of cases) assert.match(asked(call).instead, instead, call)
  const pool = asked('postMessage', { package: 'piscina', function: 'run', through: null })
  assert.deepEqual([pool.id, pool.title], ['hot-dependency', "POST /login spends 90 % of the loop's busy time in postMessage in the package piscina's run, called in login (auth.js:23)."])
  assert.doesNotMatch(pool.instead, /worker_threads/, 'it is a package of workers')
})

test('a date that is made of a value reads no clock', () => {
  const asked = text => ask(spot({ text })).id
  const texts = ['const at = new Date()', 'const at = +new Date', 'at = new Date( ).getTime()', 'return new Date(left.born) - new Date(right.born)']
  assert.deepEqual(texts.map(asked), ['hot-clock', 'hot-clock', 'hot-clock', 'hot-function'])
})

test('a search in a list and a copy of what was gathered are seen on the line, where no builtin is known', () => {
  const asked = (text, culprit = {}) => ask(spot({ text, culprit })).instead
  for (const text of ['const user = users.find(one => one.id === id)', '    if (seen.includes(id)) continue', '  return spans.filter(one => one.parentId === id).map(toTree)', 'rows.filter(row => !known.some(({ id }) => id === row.id))']) {
    assert.match(asked(text), /put the values into a Set, or a Map by key/, text)
  }
  assert.doesNotMatch(asked("const odd = names.map(name => name.normalize('NFKD')).filter(name => name.includes('9'))"), /Set/, 'a text in a text')
  for (const text of ['  (sums, row) => ({ ...sums, [row.shop]: row.amount }),', 'all = [...all, next(row)]']) assert.match(asked(text), /add to one object, array or Map/, text)
  for (const text of ['  while (queue.length > 0) work(queue.shift())', 'names.unshift(name)']) assert.match(asked(text), /go through a long array by index/, text)
  assert.match(asked("  prices.emit('price', { id, price })"), /one listener that looks up/)
  for (const text of ["    out = out.slice(0, -1) + '\\n'", 'this.text = this.text.trimEnd()']) assert.match(asked(text), /collect the parts in an array/, text)
  assert.match(asked('  return event.at.toLocaleDateString(locale, options)'), /make one Intl formatter/)
  for (const text of ['rows.map(row => ({ ...row, tax: row.amount * 0.19 }))', 'const copy = [...rows]', 'router.findAll(id)', 'name = path.slice(1)']) assert.match(asked(text), /a better algorithm/, text)
  assert.match(asked('users.find(one => one.name.localeCompare(name) === 0)', { call: 'String.localeCompare' }), /make one Intl formatter/, 'a known builtin comes first')
})

test('a copy made by way of JSON is to be avoided, not parsed elsewhere', () => {
  const asked = text => ask(spot({ text, culprit: { call: 'JSON.parse' } }))
  assert.match(asked('  return JSON.parse(JSON.stringify(initial))').instead, /^copy only what changes/)
  assert.match(asked('  return JSON.parse(text)').instead, /parse it in worker_threads/)
})

test('what Node.js parses for an await of the application is told with the line of that await', () => {
  const parsing = spot({ route: null, culprit: { function: 'Response.json', file: 'node:internal/deps/undici/undici', call: 'JSON.parse' } })
  const first = awaited => {
    const waits = { pace: { ms: 60_000, routes: [{ route: 'GET /orders', count: 600, seconds: 60 }] }, waits: [routeOf([lineOf({ meanMs: 80, awaited })])] }
    return findFindings(readings({ activity: { busyMs: 33_000, hotSpots: [parsing] }, ...waits }), { appName: 'shop' }).findings[0]
  }
  const { id, title, where } = first('fetch')
  assert.deepEqual([id, where.function, where.line, where.route], ['hot-json', 'loadOrders', 12, 'GET /orders'])
  assert.match(title, /in JSON\.parse, called in Response\.json \(node:internal\/deps\/undici\/undici:23\), awaited in loadOrders \(orders\.js:12\)/)
  assert.equal(first('pg').where.function, 'Response.json')
})

test('of a package that compiles, what it makes is to be kept', () => {
  const asked = (changes, name) => ask(spot({ compiling: name, culprit: { via: { package: name, function: 'render', through: null, ...changes } } }))
  const { id, why, instead, evidence } = asked({}, 'ejs')
  assert.deepEqual([id, evidence.compiling], ['hot-dependency', 'ejs'])
  assert.match(why, /^ejs compiles templates or schemas on the event loop/)
  assert.match(instead, /^compile each template or schema once, at start-up or on its first use, and keep the result$/)
  assert.match(asked({ package: 'express', function: 'res.render', through: { package: 'pug', function: 'renderFile' } }, 'pug').instead, /NODE_ENV=production makes Express keep its views/)
})

test('a function that spends most of its time in one package, in whichever of its functions, is told with the package', () => {
  const { title, instead } = ask(spot({ inPackage: 'zod' }))
  assert.match(title, /in login \(auth\.js:23\), most of it in the package zod\.$/)
  assert.match(instead, /variant of zod/)
  const converter = { function: 'Document.toJSON', file: 'node_modules/mongoose/lib/document.js', line: 9, column: 1, package: 'mongoose' }
  assert.match(ask(spot({ inPackage: 'express', converter })).title, /in login \(auth\.js:23\), most of it in Document\.toJSON of the package mongoose\.$/)
})

test('for a package that computes in JavaScript, what does the same in native code is named, also where another package calls it', () => {
  const advice = via => ask(spot({ culprit: { via } })).instead
  assert.match(advice({ package: 'bcryptjs', function: 'hashSync', through: null }), /^use bcrypt or @node-rs\/bcrypt, .*, in place of bcryptjs; otherwise call it less often/)
  assert.match(advice({ package: 'verdaccio-htpasswd', function: 'verify', through: { package: 'bcryptjs', function: 'compare' } }), /in place of bcryptjs/)
  assert.match(advice({ package: 'jimp', function: 'read', through: null }), /^use sharp/)
})

test('what a package does later, for a call of the application on the same route, is one finding with that call', () => {
  const call = spot({ culprit: { via: { package: 'bcryptjs', function: 'compare', through: null } }, ms: 15_000, share: 0.5, stalls: { count: 9, ms: 9000, longestMs: 1000 } })
  const later = route => spot({ culprit: { function: '_encipher', file: 'node_modules/bcryptjs/umd/index.js' }, origin: 'dependency', ms: 20_000, share: 0.4, route, stalls: { count: 5, ms: 5000, longestMs: 900 } })
  const [only, ...rest] = askAll(later('POST /login'), call)
  assert.deepEqual([only.id, only.where.file, only.evidence.stalls, rest], ['hot-dependency', 'auth.js', 14, []])
  assert.equal(only.title, "POST /login spends 90 % of the loop's busy time in the package bcryptjs's compare, called in login (auth.js:23).")
  assert.equal(askAll(later('GET /me'), call).length, 2, 'on another route it may be for another call')
})

test('what a function passes to a package, which calls it back, is one finding with the function that it is written in', () => {
  const via = name => ({ package: 'immer', function: name, through: null })
  const callback = changes => spot({ culprit: { function: '(anonymous)', line: 24, functionLine: 24, via: via('get') }, ms: 20_000, share: 0.6, ...changes })
  const caller = spot({ culprit: { via: via('produce') }, ms: 12_000, share: 0.35 })
  const [only, ...rest] = askAll(callback(), caller)
  assert.equal(only.title, "POST /login spends 95 % of the loop's busy time in the package immer, called in (anonymous) (auth.js:24), login (auth.js:23).")
  assert.deepEqual([only.where.line, rest], [24, []])
  assert.match(askAll(callback({ route: 'GET /me' }), caller)[0].title, /60 %/, 'on another route another function may pass it')
})

test('of a synchronous function of a package, the asynchronous one is named', () => {
  const asked = name => ask(spot({ culprit: { via: { package: 'bcrypt', function: name, through: null } } })).instead
  assert.match(asked('compareSync'), /^await compare\(\), the asynchronous variant/)
  assert.match(asked('compare'), /^call it less often/)
  const written = text => ask(spot({ text, culprit: { via: { package: 'sheets', function: 'readSync', through: null } } })).instead
  assert.match(written('  const book = sheets.readSync(bytes)'), /^await read\(\)/)
  assert.match(written('  const book = sheets.read(bytes)'), /^call it less often/, 'a name that only the package has: read() is what was called')
  assert.match(ask(spot({ culprit: { via: { package: 'mobx', function: '(anonymous)', through: null } } })).title, /in the package mobx, called in login/)
})

test('what makes an object of each record is to return plain ones', () => {
  const asked = name => ask(spot({ culprit: { via: { package: name, function: 'hydrate', through: null } } })).instead
  for (const [name, instead] of [['mongoose', /^use `\.lean\(\)`/], ['sequelize', /^use `raw: true`/], ['typeorm', /^use `getRawMany\(\)`/]]) assert.match(asked(name), instead)
})

test('of a sort whose comparator makes collators, the collator is to be kept', () => {
  const asked = text => ask(spot({ text, culprit: { call: 'Array.sort' } }))
  const { title, instead } = asked('rows.sort((left, right) =>\n  left.name.localeCompare(right.name, locale))')
  assert.match(title, /in Array\.sort, called in login/)
  assert.match(instead, /^make one Intl formatter or collator/)
  assert.match(asked('rows.sort((left, right) => left.at - right.at)').instead, /^keep the data sorted/)
  const inlined = ask(spot({ text: 'rows.sort((left, right) => left.at - right.at || left.name.localeCompare(right.name))' }))
  assert.match(inlined.instead, /make one Intl formatter or collator.*; keep the data sorted/, 'which of the two it is, is not known')
})

test('formatters and sorts are seen in the text of the line as well', () => {
  const asked = text => ask(spot({ text })).instead
  assert.match(asked('return new Intl.NumberFormat(locale, { style: \'currency\' }).format(value)'), /^make one Intl formatter/)
  assert.match(asked('return rows.sort(byPrice)'), /^keep the data sorted/)
  assert.match(asked('url.searchParams.sort()'), /^do less/)
})

test('a function whose time is in streams that it passes small chunks to has to pass larger ones', () => {
  const { title, instead } = ask(spot({ isStreaming: true, culprit: { call: 'done' } }))
  assert.match(title, /in login \(auth\.js:23\), most of it in the streams of Node\.js that it passes chunks to\.$/)
  assert.match(instead, /^pass fewer and larger chunks/)
})

test('a function that calls several of Node.js for most of its time is told with them', () => {
  const asked = (...nodeCalls) => ask(spot({ isOwn: false, nodeCalls, text: 'Object.keys(os.networkInterfaces())' }))
  assert.match(asked('memoryUsage', 'cpus').title, /in login \(auth\.js:23\), most of it in memoryUsage\(\), cpus\(\) of Node\.js\.$/)
  assert.match(asked('memoryUsage', 'cpus').instead, /^call them less often: keep what they return/)
  assert.match(asked('networkInterfaces').instead, /^use a Map/)
})

test('the work of web streams is one finding, at the line that awaits them', () => {
  const streams = changes => spot({ isStreaming: true, route: null, culprit: { function: 'web streams', file: 'node:internal/webstreams/readablestream' }, ms: 20_000, share: 0.6, ...changes })
  const transform = spot({ isStreaming: true, ms: 8000, share: 0.25, route: 'GET /orders', culprit: { function: 'transform', line: 7 } })
  const asked = (awaited, ...spots) => findIn({ activity: { busyMs: 33_000, hotSpots: spots }, waits: [routeOf([lineOf({ meanMs: 80, awaited, requests: 2 })], { requests: 2 })] })
  const [first, ...rest] = asked('node:stream/web', streams(), transform)
  assert.deepEqual([first.id, first.where.function, first.where.line, rest], ['hot-function', 'loadOrders', 12, []])
  assert.match(first.title, /85 % .* in the web streams of Node\.js, awaited in loadOrders \(orders\.js:12\)/)
  assert.match(first.instead, /^pass fewer and larger chunks/)
  const held = stall({ durationMs: 4000, culprit: { ...streams().culprit, share: 1 } })
  assert.deepEqual(findIn({ activity: { busyMs: 33_000, hotSpots: [streams({ stalls: { count: 1, ms: 4000, longestMs: 4000 } })] }, stalls: [held] }).map(({ id }) => id), ['hot-function'], 'which explains stalls in them')
  assert.match(asked('pg', streams(), transform)[0].title, /in the web streams of Node\.js, which call transform \(auth\.js:7\)/)
  assert.equal(asked('pg', streams({ route: 'GET /me', ms: 26_000 }), { ...transform, ms: 25_000, ownMs: 25_000, share: 0.4 }).length, 2, 'on another route it may be for other streams')
})

test('what a package calls back, and what that calls of its dependency, is the call of the package', () => {
  const page = spot({ ms: 14_000, share: 0.3, culprit: { function: 'table', via: { package: 'react-dom', function: 'renderToString', through: null } } })
  const row = (changes = {}) => spot({ ms: 9000, share: 0.2, within: ['react-dom', 'koa'], culprit: { function: 'Row', line: 5, via: { package: 'react', function: 'createElement', through: null } }, stalls: { count: 3, ms: 600, longestMs: 250, lines: [] }, ...changes })
  const dependsOn = (folder, name) => folder === 'node_modules/react-dom/' && name === 'react'
  const asked = (...spots) => findIn({ activity: { busyMs: 46_000, hotSpots: spots }, dependsOn })
  const [first, ...rest] = asked(page, row())
  assert.equal(first.title, "POST /login spends 50 % of the loop's busy time in the package react-dom's renderToString, through react createElement, called in table (auth.js:23).")
  assert.deepEqual([rest, first.where.function], [[], 'table'])
  assert.match(asked(page, row({ within: ['koa'] }))[0].title, /in the package react's createElement, called in Row/, 'it is not called back')
  assert.match(asked(page, row({ route: 'GET /me' }))[0].title, /in the package react's createElement, called in Row/, 'on another route')
})

test('a logger that writes each line synchronously is to write in large chunks', () => {
  const fixOf = (logger, writingMs) => findIn({ activity: { categories: { logging: { ms: 12_000, where: PLACE, logger, writingMs } } } })[0]
  assert.match(fixOf('pino', 6000).instead, /^write asynchronously and in large chunks \(pino\.destination\(\{ sync: false, minLength: 4096 \}\) or a transport\), and log less/)
  assert.match(fixOf('pino', 6000).why, /synchronous call, which has 50 % of the logger's time/)
  assert.match(fixOf('log4js', 6000).instead, /instead of 'fileSync'/)
  assert.match(fixOf('bunyan', 6000).instead, /a stream or transport that does/)
  assert.match(fixOf('pino', 2000).instead, /^log less/)
})

test('many writes to a stream are to be joined', () => {
  const asked = call => ask(spot({ culprit: { call } }))
  for (const call of ['write', 'Writable.write', 'Socket.write']) assert.match(`${asked(call).title} ${asked(call).instead}`, /in write\(\) of a socket or stream, called in login .* write it once, or call cork\(\)/, call)
  assert.doesNotMatch(asked('fs.write').instead, /cork/)
})

test('two packages that call each other for a route are one finding, of the one that depends on the other', () => {
  const inner = spot({ origin: 'dependency', ms: 26_000, share: 0.42, culprit: { function: 'execute', file: 'node_modules/graphql/execute.js' } })
  const outer = (changes = {}) => spot({ origin: 'dependency', ms: 24_000, share: 0.36, culprit: { function: 'resolve', file: 'node_modules/apollo/index.js' }, ...changes })
  const dependsOn = (file, name) => file === 'node_modules/apollo/index.js' && name === 'graphql'
  const asked = (...spots) => findIn({ activity: { busyMs: 55_000, hotSpots: spots }, dependsOn })
  const [first, ...rest] = asked(inner, outer())
  assert.equal(first.title, "POST /login spends 78 % of the loop's busy time in the package apollo, through graphql execute.")
  assert.deepEqual([first.where.file, rest], ['node_modules/apollo/index.js', []])
  const stalls = [1, 2].map(id => stall({ id, culprit: { ...inner.culprit, share: 1 }, durationMs: 3000 }))
  assert.deepEqual(findIn({ activity: { busyMs: 55_000, hotSpots: [inner, outer()] }, dependsOn, stalls }).map(({ id }) => id), ['hot-dependency'], 'which explains the stalls of both')
  assert.match(asked(inner, outer({ route: 'GET /me' }))[0].title, /42 % .* in the package graphql\.$/)
  assert.match(asked(inner, outer({ ms: 3000, ownMs: 3000, share: 0.09 }))[0].title, /42 % .* in the package graphql\.$/)
})

test('what a package does in callbacks without a request is that of the only line that awaits the package', () => {
  const hydrating = spot({ route: null, routes: [{ route: null, share: 0.5 }], origin: 'dependency', culprit: { function: 'build', file: 'node_modules/orm/lib/model.js' } })
  const asked = (...lines) => ask(hydrating, { pace: { ms: 60_000, routes: [{ route: 'GET /orders', count: 600, seconds: 60 }] }, waits: [routeOf(lines)] })
  const { title, where } = asked(lineOf({ meanMs: 40, awaited: 'orm' }), lineOf({ meanMs: 40, awaited: 'pg' }))
  assert.match(title, /in the package orm, awaited in loadOrders \(orders\.js:12\)/)
  assert.deepEqual([where.function, where.route, where.via.package], ['loadOrders', 'GET /orders', 'orm'])
  assert.match(asked(lineOf({ meanMs: 40, awaited: 'retry', via: 'orm' })).title, /in the package orm, awaited in loadOrders/)
  assert.match(asked(lineOf({ meanMs: 40, awaited: 'orm' }), lineOf({ meanMs: 30, awaited: 'orm', line: 30 })).title, /in the package orm\b(?!, awaited)/)
})

test('JSON on a line is not the work where that is in a callback behind it, or in what the function calls', () => {
  const line = 'res.end(JSON.stringify(rows.map(row => ({ id: row.id }))))'
  const idOf = changes => ask(spot({ text: line, ...changes })).id
  assert.deepEqual([idOf({}), idOf({ ownText: 'row => score(row))))' }), idOf({ isOwn: false })], ['hot-json', 'hot-function', 'hot-function'])
  assert.equal(idOf({ text: 'res.end(JSON.stringify(rows.map(row => score(row)).slice(0, 9)))' }), 'hot-function', 'V8 may have inlined it')
  assert.equal(idOf({ text: 'return rows.map(row => JSON.parse(row))' }), 'hot-json')
  assert.equal(idOf({ isOwn: false, converter: { function: 'toJSON', file: 'a.js', line: 1, column: 1, package: null } }), 'hot-json')
})

test('what a package does in callbacks is told with the package that requests await, and its line', () => {
  const packing = (changes = {}) => spot({ route: 'GET /orders', origin: 'dependency', culprit: { function: 'pack', file: 'node_modules/undici/lib/pack.js', ...changes } })
  const asked = (awaited, rest = {}) => {
    const waits = { pace: { ms: 60_000, routes: [{ route: 'GET /orders', count: 600, seconds: 60 }] }, waits: [routeOf([lineOf({ meanMs: 80, awaited })])] }
    return ask(packing(), { ...waits, dependsOn: (file, name) => file === 'node_modules/piscina/' && name === 'undici', ...rest })
  }
  const { id, title, where, instead, evidence } = asked('piscina')
  assert.deepEqual([id, title], ['hot-dependency', "GET /orders spends 90 % of the loop's busy time in the package piscina, through undici, awaited in loadOrders (orders.js:12)."])
  assert.deepEqual([where.function, where.line, evidence.package, evidence.through], ['loadOrders', 12, 'piscina', 'undici'])
  assert.match(instead, /variant of piscina/)
  assert.match(asked('undici').title, /in the package undici, awaited in loadOrders/)
  assert.match(asked('pg').title, /in the package undici\.$/)
})

test('a router that tries its routes one after the other is told as such', () => {
  const routing = spot({ origin: 'dependency', culprit: { function: 'match', file: 'node_modules/path-to-regexp/dist/index.js', via: null } })
  const first = ask(routing)
  assert.equal(first.id, 'hot-dependency')
  assert.match(first.instead, /^mount the routes of each prefix/)
  const compiling = spot({ origin: 'dependency', culprit: { function: 'parse', file: 'node_modules/path-to-regexp/dist/index.js', via: null } })
  assert.doesNotMatch(ask(compiling).instead, /mount/)
})

test('a line that goes through many and reads the clock for each is no line that only reads the clock', () => {
  const asked = text => ask(spot({ text }))
  assert.equal(asked('  const now = Date.now()').id, 'hot-clock')
  const both = asked('  return Object.keys(online).filter(key => online[key].at > Date.now() - 60000).length')
  assert.equal(both.id, 'hot-function')
  assert.match(both.instead, /read the clock once before the loop/)
  assert.doesNotMatch(asked('  return rows.map(row => row.name)').instead, /clock/)
})

test('modules that are loaded in requests soon after the start are not its start', () => {
  const loading = (isStartUp, ms) => ask(spot({ culprit: { call: 'require' }, isStartUp, ms, share: 0.1, samples: 400 }), { startedAt: 1_000_000 })
  assert.match(loading(true, 4000).title, /^Startup blocked the loop for 4\.0 s, most of it by login/)
  assert.match(loading(false, 4000).title, /^Modules are loaded while requests wait/)
  assert.equal(loading(false, 2500).id, 'nothing-wrong')
})

test('a query of a synchronous database driver is told as such', () => {
  assert.match(ask(spot({ culprit: { call: 'all' } })).instead, /EXPLAIN QUERY PLAN/)
})

test('starting workers in a request is told as such', () => {
  assert.match(ask(spot({ culprit: { call: 'Worker' } })).instead, /keep them in a pool/)
})

test('a line that makes stack traces is told as such, where V8 shows no call', () => {
  for (const text of ["const lines = new Error().stack.split('\\n')", 'const { stack } = Error.captureStackTrace(this)']) {
    assert.match(ask(spot({ culprit: { call: null }, text })).instead, /stackTraceLimit/)
  }
  assert.doesNotMatch(ask(spot({ culprit: { call: null }, text: 'queue.stack.push(new Error())' })).instead, /stackTraceLimit/)
})

test('the share that is said of a call or a package is its own, beside that of the function', () => {
  const saidOf = changes => {
    const { title, what } = ask(spot({ calledShare: 0.6, ...changes }))
    return `${title} ${what}`
  }
  assert.match(saidOf({ culprit: { call: 'JSON.parse' } }), /^POST \/login spends 54 % of the loop's busy time in JSON\.parse, called in login \(auth\.js:23\)\. login as a whole has 90 % of it\. It held the loop/)
  assert.match(saidOf({ culprit: { call: 'pbkdf2Sync' } }), /^POST \/login spends 54 % .* in crypto\.pbkdf2Sync/)
  assert.match(saidOf({ culprit: { via: { package: 'marked', function: 'parse' } } }), /^POST \/login spends 54 % .* in the package marked's parse/)
  assert.match(saidOf({ culprit: { call: 'Array.sort' } }), /^POST \/login spends 54 % .* in Array\.sort/)
  assert.match(saidOf({}), /^POST \/login spends 90 % .* in login \(auth\.js:23\)\. It held/)
  assert.match(saidOf({ calledShare: 0.9, culprit: { call: 'JSON.parse' } }), /^POST \/login spends 90 % .* in JSON\.parse, .*\. It held/)
})
