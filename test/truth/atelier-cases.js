'use strict'

// Of one application, how code is written: callbacks, classes, flows, code that is made at run time, packages, values. Each case is a
// function of atelier/lib that one of its routes calls. As in cases.js: by name how it is asked for, and what is true of it.

// As V8 names them, with or without the word that declares them.
const GETTER = ['total', 'get total']
const SETTER = ['size', 'set size']
// To the samples it has no name, like the callbacks below.
const STATIC_BLOCK = ['defining', '<static_initializer>']

/**
 * @param {string} work  of the route
 * @param {number} size
 * @param {import('./cases').Answer} name  of the function
 * @param {string} file  of it
 * @param {object} [truth]  what else is true
 * @param {number} [power]
 */
function caseOf (work, size, name, file, truth = {}, power = 1) {
  return [{ ask: `GET /${work}?size={size}`, size, power }, { route: `GET /${work}`, function: name, file: `lib/${file}.js`, ...truth }]
}

const ATELIER = {
  'named comparator': caseOf('sorting', 6000, 'byLetters', 'callbacks'),
  'callback of replace': caseOf('replacing', 70, 'replacing', 'callbacks', { call: [null, 'String.replace', /^RegExp/] }),
  'callback of reduce': caseOf('reducing', 400_000, 'addLetters', 'callbacks'),
  'callback of Array.from': caseOf('mapping', 800_000, 'toCode', 'callbacks'),
  'callbacks in callbacks': caseOf('nesting', 3000, 'weigh', 'numbers'),
  'bound function': caseOf('bound', 6_000_000, 'countMatches', 'callbacks'),
  'decorated function': caseOf('decorated', 15_000_000, 'tally', 'callbacks'),
  getter: caseOf('getting', 15_000_000, GETTER, 'classes'),
  setter: caseOf('setting', 15_000_000, SETTER, 'classes'),
  'private method': caseOf('counting', 12_000_000, '#countAll', 'classes'),
  'iterator of a class': caseOf('iterating', 10_000_000, ['iterating', '[Symbol.iterator]'], 'classes'), // the work is in both
  'trap of a proxy': caseOf('trapping', 15_000_000, 'get', 'classes'),
  'static block of a class': caseOf('defining', 15_000_000, STATIC_BLOCK, 'classes'),
  constructor: caseOf('constructing', 15_000_000, 'Grid', 'classes'),
  generator: caseOf('generating', 300_000, 'walk', 'flows'),
  'async iterator': caseOf('paging', 15_000_000, 'paging', 'flows'),
  'workers of promises': caseOf('pooling', 40_000, 'work', 'flows'),
  'nextTick chain of a class': caseOf('ticking', 30_000, 'step', 'flows'),
  'stringify after three awaits': caseOf('stringifying', 400_000, 'stringifying', 'flows', { call: 'JSON.stringify' }),
  'listener after await': caseOf('emitting', 15_000_000, 'foldBatch', 'flows'),
  'callee in another file': caseOf('inlining', 1_000_000, 'mix', 'numbers'),
  'template with a name': caseOf('lettering', 300_000, 'lettering', 'made', { via: [null, /^lodash /] }),
  'template of lodash': caseOf('listing', 300_000, 'listing', 'made', { via: [null, /^lodash /] }),
  'template of handlebars': caseOf('carding', 150_000, 'carding', 'made', { via: /^handlebars /, cause: ['code', 'gc'] }),
  'function of a text': caseOf('calculating', 15_000_000, 'calculating', 'made'),
  'script without a file': caseOf('ruling', 15_000_000, 'ruling', 'made'),
  'lodash orderBy': caseOf('ordering', 100_000, 'ordering', 'packages', { call: [null, 'Array.sort'], via: 'lodash orderBy' }),
  'lodash groupBy': caseOf('grouping', 800_000, 'grouping', 'packages', { via: [null, 'lodash groupBy'] }), // half of it is in the callback
  'js-yaml dump': caseOf('dumping', 10_000, 'dumping', 'packages', { via: 'js-yaml dump' }),
  XMLBuilder: caseOf('building', 80_000, 'building', 'packages', { via: 'fast-xml-parser build' }),
  'ajv compile': caseOf('compiling', 40, 'compiling', 'packages', { via: ['ajv compile', 'ajv Ajv'] }),
  typescript: caseOf('transpiling', 10_000, 'transpiling', 'packages', { via: 'typescript transpileModule' }),
  'operator of rxjs': caseOf('observing', 100_000, 'slowly', 'packages'),
  toJSON: caseOf('converting', 100_000, ['toJSON', 'converting'], 'values', { call: [null, 'JSON.stringify'] }),
  'spread in a loop': caseOf('merging', 1500, 'merging', 'values', {}, 2),
  BigInt: caseOf('multiplying', 20_000, 'multiplying', 'values', {}, 2.2),
  'includes in a loop': caseOf('searching', 40_000, 'searching', 'values', { call: [null, 'Array.includes'] }),
  toLocaleDateString: caseOf('formatting', 10_000, 'formatting', 'values', { call: [null, /toLocaleDateString$|^DateTimeFormat/] }),
  // Calls and little else: where a call begins is as true as where it is made.
  recursion: caseOf('climbing', 40_000_000, 'climb', 'values', {}, 0.7),
  'copy by JSON': caseOf('joining', 2_000_000, 'joining', 'values', { call: [null, /^JSON/] })
}

module.exports = { ATELIER }
