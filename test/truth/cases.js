'use strict'

// The stalls, and what is true of each. Every case is a request or a job for an application of apps/; the line that blocks ends there
// with `// truth: <name of the case>`; of a package, or of a bundle without a map, it is one with the text `at`.

const { ATELIER } = require('./atelier-cases')

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {string} group  of services.js
 * @property {string | { job: string }} ask  `METHOD /path`, with {size}
 * @property {number} size  for some 350 ms on the machine of speed.js
 * @property {number} power  how the time grows with the size
 * @property {(size: number) => any} [body]
 * @property {Answer} route
 * @property {Answer} function
 * @property {Answer} file
 * @property {string} [at]
 * @property {Answer} call
 * @property {Answer} via  `package function`
 * @property {Answer} cause
 * @property {boolean} [lacks]  this Node.js has not what it needs
 */

/** @typedef {string | null | RegExp | (string | null | RegExp)[]} Answer  where there are several, each of them is right */

const PLAIN = { power: 1, call: null, via: null, cause: 'code' }

/**
 * @param {string} group
 * @param {Record<string, object[]>} cases  how each is asked for, and what is true of it
 * @returns {Case[]}
 */
function casesOf (group, cases) {
  return Object.entries(cases).map(([name, [how, truth]]) => ({ ...PLAIN, ...how, ...truth, name, group }))
}

// What bodies hold, in so many parts.
const times = (count, toPart) => Array.from({ length: count }, (_, index) => toPart(index))
const rows = size => ({ rows: times(size, id => ({ id, text: `row ${id} "of" many`, tags: [id, 'a'], at: null })) })
const rounds = size => ({ name: 'ann', password: 'secret', secret: 'secret', rounds: size })
const markdown = size => times(size, id => `## Part ${id}

Some *words* and \`code\`, a [link](https://example.com/${id}).

* one
* two
`).join('\n')
const xml = size => {
  const articles = times(size, id => `<article id="${id}"><name>Name ${id}</name><price currency="EUR">${id}.95</price></article>`)
  return `<feed>${articles.join('')}</feed>`
}
const yaml = size => `shelves:\n${times(size, id => `  - id: ${id}\n    label: "Shelf ${id}"\n    sizes: [1, 2, ${id}]\n`).join('')}`

// What the profiler and the log may call the same.
const SORT = ['sort', 'Array.sort', 'Array.prototype.sort']
const MAP = [null, 'Map.set', 'Map.get']
const zlibSync = name => ['zlib.*Sync', name, `zlib.${name}`]
const qualified = (module, name) => [name, `${module}.${name}`]
const viaOf = (name, object, method) => [`${name} ${method}`, `${name} ${object}.${method}`]
const routeOf = (method, path) => [`${method} ${path}`, `${method} _unmatched`, '_unmatched']

const NO_SQLITE = process.getBuiltinModule('node:sqlite') === undefined

const CASES = [
  ...casesOf('shop', {
    lodash: [{ ask: 'GET /api/orders/7/snapshot?lines={size}', size: 46_000 },
      { route: 'GET /api/orders/:id/snapshot', function: 'snapshotState', file: 'src/services/orders.js', via: 'lodash cloneDeep' }],
    structuredClone: [{ ask: 'PUT /api/orders/7/draft?lines={size}', size: 120_000 },
      { route: 'PUT /api/orders/:id/draft', function: 'createDraft', file: 'src/services/orders.js', call: 'structuredClone' }],
    'generated code of ajv': [{ ask: 'POST /api/orders/check?times={size}', size: 2_300_000 },
      { route: 'POST /api/orders/check', function: 'countInvalid', file: 'src/services/orders.js', via: [null, /^ajv /] }],
    'middleware of a route': [{ ask: 'GET /api/orders/prices?days={size}', size: 8_000_000 },
      { route: 'GET /api/orders/prices', function: 'attachRates', file: 'src/routes/orders.js' }],
    'res.json': [{ ask: 'GET /api/reports/sales?rows={size}', size: 500_000 },
      {
        route: 'GET /api/reports/sales',
        function: '(anonymous)',
        file: 'src/routes/reports.js',
        call: 'JSON.stringify',
        via: viaOf('express', 'res', 'json')
      }],
    'JSON.stringify after await': [{ ask: 'GET /api/reports/archive/2025?rows={size}', size: 650_000 },
      { route: 'GET /api/reports/archive/:year', function: 'packArchive', file: 'src/services/archive.js', call: 'JSON.stringify' }],
    handlebars: [{ ask: 'POST /api/reports/digest?rows={size}', size: 120_000 },
      { route: 'POST /api/reports/digest', function: 'renderDigest', file: 'src/services/mail.js', via: /^handlebars / }],
    sort: [{ ask: 'GET /api/catalogue?limit={size}', size: 93_000 },
      { route: 'GET /api/catalogue', function: 'sortByName', file: 'src/services/catalogue.js', call: SORT }],
    'JSON.parse after await': [{ ask: 'POST /api/catalogue/reload?items={size}', size: 270_000 },
      { route: 'POST /api/catalogue/reload', function: 'loadCatalogue', file: 'src/services/catalogue.js', call: 'JSON.parse' }],
    'js-yaml': [{ ask: 'PUT /api/catalogue/settings', size: 63_000, body: yaml },
      { route: 'PUT /api/catalogue/settings', function: 'readShelves', file: 'src/services/catalogue.js', via: 'js-yaml load' }],
    'password check after await': [{ ask: 'POST /api/account/login', size: 440_000, body: rounds },
      { route: 'POST /api/account/login', function: 'isPassword', file: 'src/services/users.js', call: qualified('crypto', 'pbkdf2Sync') }],
    bcryptjs: [{ ask: 'POST /api/account/import', size: 250, body: count => ({ names: ['ann', 'bob'], count }) },
      { route: 'POST /api/account/import', function: 'importUsers', file: 'src/services/users.js', via: 'bcryptjs hashSync' }],
    'catastrophic expression': [
      { ask: 'PUT /api/account/profile', size: 15_000, power: 2, body: size => ({ bio: `${' '.repeat(size)}.` }) },
      { route: 'PUT /api/account/profile', function: 'tidyBio', file: 'src/services/users.js', call: /^RegExp/ }],
    'fast-xml-parser': [{ ask: 'POST /api/suppliers/feed', size: 12_000, body: xml },
      { route: 'POST /api/suppliers/feed', function: 'readFeed', file: 'src/services/supplier-feed.js', via: 'fast-xml-parser parse' }],
    'body of express.json': [{ ask: 'POST /api/suppliers/import', size: 420_000, body: rows },
      {
        route: 'POST /api/suppliers/import',
        function: 'parse',
        file: /\/body-parser\/lib\/types\/json\.js$/,
        at: 'JSON.parse(body, reviver)',
        call: 'JSON.parse'
      }],
    execSync: [{ ask: 'GET /api/suppliers/acme/ping?ms={size}', size: 350 },
      {
        route: 'GET /api/suppliers/:supplier/ping',
        function: '(anonymous)',
        file: 'src/routes/suppliers.js',
        call: qualified('child_process', 'execSync')
      }],
    gzipSync: [{ ask: 'GET /files/export.csv.gz?rows={size}', size: 80_000 },
      { route: 'GET /files/export.csv.gz', function: '(anonymous)', file: 'src/routes/files.js', call: zlibSync('gzipSync') }],
    readFileSync: [{ ask: 'GET /files/uploads?count={size}', size: 54_000 },
      { route: 'GET /files/uploads', function: 'checkUploads', file: 'src/services/uploads.js', call: qualified('fs', 'readFileSync') }],
    ejs: [{ ask: 'GET /pages/invoices/12?rows={size}', size: 120_000 },
      {
        route: 'GET /pages/invoices/:number',
        function: 'showInvoice',
        file: 'src/routes/pages.js',
        call: [null, 'String.replace'], // as it escapes each value, which may be half of it
        via: viaOf('express', 'res', 'render')
      }],
    marked: [{ ask: 'POST /pages/help/shipping', size: 4000, body: markdown },
      {
        route: 'POST /pages/help/:topic',
        function: 'helpPage',
        file: 'src/services/documents.js',
        via: ['marked marked', 'marked parse']
      }],
    'markdown-it': [{ ask: 'POST /pages/preview', size: 3500, body: markdown },
      { route: 'POST /pages/preview', function: 'preview', file: 'src/services/documents.js', via: 'markdown-it render' }],
    pug: [{ ask: 'GET /pages/labels?count={size}', size: 400 },
      { route: 'GET /pages/labels', function: 'printLabels', file: 'src/services/documents.js', via: viaOf('pug', 'exports', 'render') }],
    'sub-app': [{ ask: 'GET /admin/users/7/audit?days={size}', size: 15_000, power: 2 },
      { route: 'GET /admin/users/:id/audit', function: 'buildAudit', file: 'src/admin.js' }],
    'sub-app with a router': [{ ask: 'POST /partner/acme/keys', size: 540_000, body: rounds },
      { route: 'POST /partner/:partner/keys', function: '(anonymous)', file: 'src/partner.js', call: qualified('crypto', 'pbkdf2Sync') }]
  }),
  ...casesOf('legacy', {
    'lodash with a callback of its own': [{ ask: 'GET /users/duplicates?limit={size}', size: 1100, power: 2 },
      { route: 'GET /users/duplicates', function: 'withoutDuplicates', file: 'lib/people.js', via: 'lodash uniqWith' }],
    'scryptSync in a loop': [{ ask: 'GET /users/7/token?cost={size}', size: 35 },
      { route: 'GET /users/:id/token', function: 'issueToken', file: 'routes/users.js', call: qualified('crypto', 'scryptSync') }],
    'callback of readFile': [{ ask: 'GET /users/7/friends?times={size}', size: 49_000 },
      { route: 'GET /users/:id/friends', function: 'countFriends', file: 'lib/people.js', call: /^RegExp|split/ }],
    'microtask flood': [{ ask: 'GET /users/7/recommendations?candidates={size}', size: 7700 },
      { route: 'GET /users/:id/recommendations', function: 'scoreOf', file: 'lib/people.js' }],
    'listener of an emitter': [{ ask: 'POST /orders', size: 5_300_000, body: lines => ({ lines }) },
      { route: 'POST /orders', function: 'updateStatistics', file: 'lib/bus.js', call: MAP }],
    'timer of a request': [{ ask: 'POST /orders/reindex', size: 3_700_000, body: documents => ({ documents }) },
      { route: 'POST /orders/reindex', function: 'rebuild', file: 'lib/search-index.js', call: MAP }],
    'nextTick chain': [{ ask: 'POST /orders/flush', size: 24_000, body: entries => ({ entries }) },
      { route: 'POST /orders/flush', function: 'next', file: 'lib/queue.js' }],
    'setImmediate of a request': [{ ask: 'POST /orders/later', size: 15_000_000, body: documents => ({ documents }) },
      { route: 'POST /orders/later', function: 'optimise', file: 'lib/search-index.js' }],
    'router below a parameter': [{ ask: 'GET /v1/tenants/acme/usage?hours={size}', size: 4_500_000 },
      { route: 'GET /v1/tenants/:tenant/usage', function: 'usageOf', file: 'routes/tenants.js' }],
    'zlib in a transform': [{ ask: 'GET /exports/all.bin?bytes={size}', size: 60_000_000 },
      { route: 'GET /exports/:name.bin', function: 'packChunk', file: 'lib/packer.js', call: zlibSync('deflateSync') }],
    'end of a body in Express': [{ ask: 'POST /hooks/shop', size: 160_000, body: rows },
      { route: 'POST /hooks/:source', function: 'readHook', file: 'routes/hooks.js', call: 'JSON.parse' }]
  }),
  ...casesOf('gateway', {
    // The innermost loop: either of its two lines may be hotter, and once V8 has compiled all into the handler it tells the head only.
    // With a short term making the row takes as long.
    'Fastify handler after await': [{ ask: 'GET /search/the-collected-letters-of-the-author?titles={size}', size: 50_000 },
      { route: 'GET /search/:term', function: 'distanceOf', file: 'services/ranking.js' }],
    'Fastify reply': [{ ask: 'GET /v2/items?limit={size}', size: 460_000 },
      {
        route: /^GET \/v2\/items\/?$/,
        function: 'serialize',
        file: /\/fastify\/lib\/reply\.js$/,
        at: 'JSON.stringify(data)',
        call: 'JSON.stringify'
      }],
    'Fastify reply with a schema': [{ ask: 'GET /v2/items/names?limit={size}', size: 360_000 },
      {
        route: 'GET /v2/items/names',
        function: '(anonymous)',
        file: 'plugins/items.js',
        via: [...viaOf('fastify', 'reply', 'send'), 'fastify Reply.send'],
        cause: ['code', 'gc'] // strings by the million
      }],
    'Fastify plugin with a prefix': [{ ask: 'GET /v2/items/7/copy?limit={size}', size: 130_000 },
      { route: 'GET /v2/items/:id/copy', function: 'copyItems', file: 'plugins/items.js', call: 'structuredClone' }],
    'body of Fastify': [{ ask: 'POST /v2/items', size: 250_000, body: rows },
      {
        route: /^POST \/v2\/items\/?$/,
        function: '_parse',
        file: /\/secure-json-parse\/index\.js$/,
        at: '= JSON.parse(text',
        call: 'JSON.parse'
      }],
    'Fastify hook': [{ ask: 'POST /hooks/acme', size: 540_000, body: rounds },
      { route: 'POST /hooks/:source', function: 'checkSignature', file: 'plugins/hooks.js', call: qualified('crypto', 'pbkdf2Sync') }]
  }),
  ...casesOf('koa-feed', {
    'Koa reply': [{ ask: 'GET /feeds/shop?limit={size}', size: 380_000 },
      {
        route: 'GET /feeds/:name',
        function: 'respond',
        file: /\/koa\/lib\/application\.js$/,
        at: 'JSON.stringify(body)',
        call: 'JSON.stringify'
      }],
    'Koa handler after await': [{ ask: 'GET /feeds/shop/best?limit={size}', size: 8_000_000 },
      { route: 'GET /feeds/:name/best', function: 'scoreEntries', file: 'src/scores.js' }],
    'Koa middleware after next': [{ ask: 'GET /signed/shop?rounds={size}', size: 510_000 },
      { route: 'GET /signed/:name', function: 'signFeeds', file: 'src/sign-feeds.js', call: qualified('crypto', 'pbkdf2Sync') }],
    'body of Koa': [{ ask: 'POST /feeds', size: 250_000, body: rows },
      // co-body is what koa-bodyparser awaits, and goes through @hapi/bourne.
      { route: 'POST /feeds', function: /./, file: /\/co-body\/lib\/json\.js$/, at: 'bourne.parse(str', call: 'JSON.parse', via: /^co-body / }]
  }),
  ...casesOf('edge', {
    'Hono c.json': [{ ask: 'GET /tags?limit={size}', size: 350_000 },
      { route: 'GET /tags', function: '(anonymous)', file: 'src/server.js', call: 'JSON.stringify', via: viaOf('hono', 'c', 'json') }],
    'Hono handler after await': [{ ask: 'GET /tags/new?terms={size}', size: 12_000_000 },
      { route: 'GET /tags/:name', function: 'weigh', file: 'src/tags.js' }],
    'Hono middleware': [{ ask: 'GET /tags/old?visits={size}', size: 16_000_000 },
      { route: 'GET /tags/:name', function: 'countVisits', file: 'src/tags.js' }]
  }),
  ...casesOf('plain', {
    'plain handler': [{ ask: 'GET /primes?size={size}', size: 440_000, power: 1.5 },
      { route: routeOf('GET', '/primes'), function: 'countPrimes', file: 'lib/work.js' }],
    'queueMicrotask chain': [{ ask: 'GET /waves?size={size}', size: 12_000 },
      { route: routeOf('GET', '/waves'), function: 'roll', file: 'lib/work.js' }],
    'plain nextTick chain': [{ ask: 'GET /ticks?size={size}', size: 24_000 },
      { route: routeOf('GET', '/ticks'), function: 'tick', file: 'lib/work.js' }],
    'transform of a plain reply': [{ ask: 'GET /report?size={size}', size: 30_000_000 },
      { route: routeOf('GET', '/report'), function: '_transform', file: 'lib/report.js' }],
    'end of a plain body': [{ ask: 'POST /orders', size: 480_000, body: rows },
      { route: routeOf('POST', '/orders'), function: '(anonymous)', file: 'lib/bodies.js', call: 'JSON.parse' }],
    'data of a plain body': [{ ask: 'POST /uploads?size={size}', size: 720_000, body: () => 'a secret' },
      { route: routeOf('POST', '/uploads'), function: 'sealChunk', file: 'lib/bodies.js', call: qualified('crypto', 'pbkdf2Sync') }],
    'expression after a plain body': [{ ask: 'POST /notes', size: 250, body: size => `${' '.repeat(18)}ab\n`.repeat(size) },
      { route: routeOf('POST', '/notes'), function: 'findBlankLines', file: 'lib/bodies.js', call: /^RegExp|filter/ }]
  }),
  ...casesOf('worker', {
    interval: [{ ask: { job: 'polled' }, size: 3_400_000 },
      { route: null, function: 'polled', file: 'jobs/jobs.js', call: MAP }],
    'listener in a worker process': [{ ask: { job: 'announced' }, size: 4_000_000 },
      { route: null, function: 'recount', file: 'jobs/bus.js' }],
    'promise flood in a worker process': [{ ask: { job: 'flood' }, size: 25_000 },
      { route: null, function: 'foldStep', file: 'jobs/jobs.js' }],
    'Atomics.wait': [{ ask: { job: 'nap' }, size: 350 },
      { route: null, function: 'nap', file: 'jobs/jobs.js', call: qualified('Atomics', 'wait'), cause: ['code', 'unknown'] }],
    'WebAssembly hash': [{ ask: { job: 'sha3' }, size: 47 },
      { route: null, function: 'digestAll', file: 'jobs/hashes.js', via: 'hash-wasm update' }],
    'WebAssembly of the application': [{ ask: { job: 'mix' }, size: 310_000_000 },
      { route: null, function: 'mix', file: 'jobs/hashes.js', call: [null, 'count'] }],
    'sql.js': [{ ask: { job: 'matchBooks' }, size: 1600 },
      { route: null, function: 'matchBooks', file: 'jobs/books.js', via: /^sql\.js / }],
    'node:sqlite': [{ ask: { job: 'matchNatively' }, size: 2900 },
      { route: null, function: 'matchNatively', file: 'jobs/books.js', call: /all$/, lacks: NO_SQLITE }]
  }),
  ...casesOf('atelier', ATELIER),
  ...casesOf('nest', {
    'Nest service': [{ ask: 'GET /hotels/7/rates?nights={size}', size: 4_500_000 },
      { route: 'GET /hotels/:id/rates', function: 'bestRate', file: 'src/hotels.service.ts' }],
    'Nest pipe': [{ ask: 'POST /hotels/7/stays', size: 2_000_000, body: nights => ({ from: '2026-11-22', nights }) },
      { route: 'POST /hotels/:id/stays', function: 'transform', file: 'src/stay.pipe.ts', call: [null, /Date/] }],
    'Nest reply': [{ ask: 'GET /hotels?limit={size}', size: 350_000 },
      { route: 'GET /hotels', function: /./, file: /express/, at: 'JSON.stringify', call: 'JSON.stringify' }]
  }),
  ...['billing', 'billing-unmapped'].flatMap((group, unmapped) => casesOf(group, {
    'TypeScript method': [{ ask: 'GET /invoices/c1?limit={size}', size: 4_800_000 },
      { route: 'GET /invoices/:customer', function: 'find', file: ['src/invoices.ts', 'dist/invoices.js'][unmapped] }],
    'TypeScript function after await': [{ ask: 'POST /ledger/reconcile?entries={size}', size: 3_200_000 },
      { route: 'POST /ledger/reconcile', function: 'reconcile', file: ['src/ledger.ts', 'dist/ledger.js'][unmapped], call: MAP }],
    'lodash in TypeScript': [{ ask: 'GET /invoices/c1/copy?limit={size}', size: 80_000 },
      {
        route: 'GET /invoices/:customer/copy',
        function: 'copyAll',
        file: ['src/invoices.ts', 'dist/invoices.js'][unmapped],
        via: 'lodash cloneDeep'
      }]
  })),
  ...casesOf('frontdesk', {
    'bundle after await': [{ ask: 'GET /suggest/guest?rounds={size}', size: 1200 },
      { route: 'GET /suggest/:prefix', function: 'searchNames', file: 'src/suggest.js' }],
    'lodash in a bundle': [{ ask: 'POST /guests?guests={size}', size: 1300, power: 2 },
      { route: 'POST /guests', function: 'withoutDoubles', file: 'src/guests.js', via: 'lodash uniqWith' }],
    'sort in a bundle': [{ ask: 'GET /floors/3?rooms={size}', size: 150_000 },
      { route: 'GET /floors/:floor', function: 'floorPlan', file: 'src/floor-plan.js', call: SORT }]
  }),
  ...casesOf('frontdesk-unmapped', {
    'bundle after await': [{ ask: 'GET /suggest/guest?rounds={size}', size: 1200 },
      { route: 'GET /suggest/:prefix', function: 'searchNames', file: 'dist/server.js', at: 'name.toLowerCase().includes(' }],
    'sort in a bundle': [{ ask: 'GET /floors/3?rooms={size}', size: 50_000 },
      { route: 'GET /floors/:floor', function: 'floorPlan', file: 'dist/server.js', at: 'left.note.localeCompare(right.note)', call: SORT }]
  })
]

module.exports = { CASES }
