'use strict'

// A process of as many functions as its argument says, all of them compiled and called in turn, at work for a fifth of the time.

const { readMemory } = require('../../harness/memory')
const vm = require('node:vm')
const { serveAnswers } = require('../../harness/answers')

const PER_FILE = 500
const WORK_EVERY_MS = 50
const WORK_MS = 10

/** @param {number} file */
function script (file) {
  const one = (/** @type {number} */ at) => `function work${file}_${at} (value) { let sum = 0; for (let step = 0; step < 50; step++) sum += Math.sqrt(value + step + ${at}); return sum }`
  const names = Array.from({ length: PER_FILE }, (_, at) => `work${file}_${at}`)
  return `(() => { ${names.map((_, at) => one(at)).join('\n')}\nreturn [${names.join(', ')}] })()`
}

const diagnostics = require('../../..').createDiagnostics().start()
const count = Number(process.argv[2])
/** @type {((value: number) => number)[]} */
const functions = []
for (let file = 0; functions.length < count; file++) functions.push(...new vm.Script(script(file), { filename: `/app/generated-${file}.js` }).runInThisContext())
functions.length = count
for (const one of functions) one(1)

let next = 0
setInterval(() => {
  const endMs = performance.now() + WORK_MS
  while (performance.now() < endMs) functions[next++ % count](next)
}, WORK_EVERY_MS)

serveAnswers('ready', {
  memory: readMemory,
  /** What the recorder has taken of the main thread until now. */
  recorderSeconds: async () => Number(/component="recorder"\} (\S+)/.exec(await diagnostics.registry.metrics())?.[1])
})
