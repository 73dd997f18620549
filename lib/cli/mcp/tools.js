'use strict'

// The table of the tools that `loopscope mcp` offers to an assistant: each is a command of the command line with some of its options. What
// changes the process or writes a file is offered with --allow-captures only. An assistant may have read text from anywhere, so it names
// processes by pid, group, or one of the addresses that the command was started with: no other host ever gets a request, or the token.

/**
 * @typedef {Record<string, any>} Input
 *
 * @typedef {object} Tool
 * @property {string} name
 * @property {string} title
 * @property {string} description
 * @property {Record<string, object>} [input]  JSON schemas of its arguments, beside those of the process
 * @property {readonly string[]} [required]
 * @property {'process' | 'group' | 'none'} target  what it can be asked about; group: one process or a group
 * @property {boolean} [isCapture]  it changes the process or writes a file
 * @property {boolean} [isDestructive]  people notice it: requests wait
 * @property {(input: Input, folder: string) => string[]} [command]  its name and options; by default named like the tool, without any; folder: for captures
 * @property {(input: Input) => string[]} [operands]  what follows the process
 */

const MAX_SECONDS = 45 // clients give up a call after 60 s
const FILE = '\\.(cpuprofile|heapprofile|heapsnapshot|heapindex|json)$'

const ROUTE = Object.freeze({ type: 'string', minLength: 1, description: "only one route, as in 'GET /orders/:id'" })
const MARK = Object.freeze({ type: 'string', minLength: 1, maxLength: 200 })

/** @param {string} meaning */
const seconds = meaning => ({ type: 'integer', minimum: 1, maximum: MAX_SECONDS, description: meaning })

/** @param {string} meaning */
const file = meaning => ({ type: 'string', pattern: FILE, description: meaning })

const TOOLS = Object.freeze(/** @type {Tool[]} */ ([
  {
    name: 'list',
    title: 'List processes',
    description: "This user's Node.js processes with loopscope: pid, application, version of Node.js, folder. Begin here.",
    target: 'none'
  },
  {
    name: 'why',
    title: 'What is wrong',
    description: 'What is wrong with a process, most costly first: cause, route, file and line, evidence, and what to change. Without a pid: the only process.',
    target: 'group',
    command: () => ['why', '--markdown']
  },
  {
    name: 'stalls',
    title: 'Stalls',
    description: 'The last times when the event loop was blocked: when, how long, cause, route, function and line.',
    target: 'group'
  },
  {
    name: 'slow',
    title: 'Slow requests',
    description: 'The slowest requests of each route, and where their time went: own code, code of other requests, garbage collection, waiting at which line.',
    target: 'group'
  },
  {
    name: 'requests',
    title: 'Requests under way',
    description: 'The requests that the process handles at this moment, oldest first, and what each waits for. Works while the event loop is blocked.',
    target: 'group'
  },
  {
    name: 'waits',
    title: 'Where requests wait',
    description: 'At which line of the code requests waited, and for which package or service, from a sample of the last minutes.',
    input: { route: ROUTE },
    target: 'group',
    command: ({ route }) => ['waits', ...option('route', route)]
  },
  {
    name: 'memory',
    title: 'Memory',
    description: 'Who owns the memory of a process (heap, Buffers, worker threads, native code), and what grows.',
    target: 'group'
  },
  {
    name: 'sync',
    title: 'Synchronous calls',
    description: 'Synchronous calls that block the event loop, by call site and route, and what to call instead.',
    target: 'process'
  },
  {
    name: 'threads',
    title: 'Worker threads',
    description: 'Worker threads: how busy each is, in which function, and their stalls.',
    target: 'process'
  },
  {
    name: 'profile',
    title: 'CPU profile',
    description: 'A CPU profile as text: which functions of the application used the time, and their callers. It looks back (last), or records from now on (seconds).',
    input: {
      last: { type: 'integer', minimum: 1, maximum: 600, description: 'seconds to look back (default 30)' },
      seconds: seconds('seconds to record from now on, instead of looking back'),
      route: ROUTE
    },
    target: 'group',
    command: ({ last, seconds: next, route }) => ['profile', '--format=text', ...option('last', last), ...option('seconds', next), ...option('route', route)]
  },
  {
    name: 'what_if',
    title: 'What a fix would change',
    description: 'Predicts how long the requests of each route would take if one route did less on the event loop, by replaying recorded requests. ' +
      'The findings of `why` have such a prediction too.',
    input: { route: ROUTE, scale: { type: 'number', minimum: 0, maximum: 10, description: 'what is left of its time: 0.25 is four times as fast (default 0)' } },
    required: ['route'],
    target: 'process',
    command: ({ route, scale }) => ['what-if', ...option('route', route), ...option('scale', scale)]
  },
  {
    name: 'marks',
    title: 'List marks',
    description: 'The marks of a process, for `diff`: moments such as a deployment.',
    target: 'process',
    command: () => ['mark']
  },
  {
    name: 'diff_mark',
    title: 'Compare before and after a mark',
    description: 'Compares the CPU profile of a process before and after a mark: what got hotter, what vanished.',
    input: { mark: { ...MARK, description: 'text of the mark' }, route: ROUTE },
    required: ['mark'],
    target: 'process',
    command: ({ mark, route }) => ['diff', ...option('mark', mark), ...option('route', route)]
  },
  {
    name: 'diff_files',
    title: 'Compare two files',
    description: 'Compares two CPU profiles, heap profiles or heap snapshots of this machine: what got hotter, what grew and what keeps it alive. ' +
      'A snapshot between two others separates a leak from a cache.',
    input: { before: file('the earlier file'), between: file('for heap snapshots: one taken between the two'), after: file('the later file'), route: ROUTE },
    required: ['before', 'after'],
    target: 'none',
    command: ({ route }) => ['diff', ...option('route', route)],
    operands: ({ before, between, after }) => [before, between, after].filter(one => one !== undefined)
  },
  {
    name: 'set_mark',
    title: 'Set a mark',
    description: 'Sets a mark at this moment, to compare with later.',
    input: { text: { ...MARK, description: 'such as "deployed 1.2.0"' } },
    required: ['text'],
    target: 'process',
    isCapture: true,
    command: () => ['mark'],
    operands: ({ text }) => [text]
  },
  {
    name: 'waits_now',
    title: 'Where requests wait from now on',
    description: 'Like `waits`, for all requests of the next seconds. It costs up to 5 % of a CPU core while it runs.',
    input: { seconds: seconds('seconds to sample'), route: ROUTE },
    required: ['seconds'],
    target: 'process',
    isCapture: true,
    command: ({ seconds: next, route }) => ['waits', ...option('seconds', next), ...option('route', route)]
  },
  {
    name: 'memory_sites',
    title: 'Who allocates what stays',
    description: 'Like `memory`, and which lines and routes allocate what stays in memory, sampled in the next seconds. It costs a few percent of a core while it runs.',
    input: { seconds: seconds('seconds to sample') },
    required: ['seconds'],
    target: 'process',
    isCapture: true,
    command: ({ seconds: next }) => ['memory', '--sites', ...option('seconds', next)]
  },
  {
    name: 'heap_profile',
    title: 'Heap profile',
    description: 'Which functions allocated the objects that are still alive, as text, sampled in the next seconds.',
    input: { seconds: seconds('seconds to sample') },
    required: ['seconds'],
    target: 'group',
    isCapture: true,
    command: ({ seconds: next }) => ['heap', '--kind=profile', '--format=text', ...option('seconds', next)]
  },
  {
    name: 'save_profile',
    title: 'Save a CPU profile',
    description: 'Writes a CPU profile to a file, for `diff_files` or a person: cpuprofile (DevTools), flamegraph (HTML) or pprof.',
    input: {
      format: { enum: ['cpuprofile', 'flamegraph', 'pprof'], description: 'default cpuprofile' },
      last: { type: 'integer', minimum: 1, maximum: 600, description: 'seconds to look back (default 30)' },
      route: ROUTE
    },
    target: 'group',
    isCapture: true,
    command: ({ format = 'cpuprofile', last, route }, folder) =>
      ['profile', ...option('format', format), ...option('last', last), ...option('route', route), ...option('output', folder)]
  },
  {
    name: 'ps',
    title: 'Suspended async functions',
    description: 'Suspended async functions, how many at which function, who awaits them, and what they await: for what hangs and was not recorded. It takes ' +
      'a heap snapshot, which PAUSES the process, about a second for every 100 MB of heap: ask the user first.',
    target: 'process',
    isCapture: true,
    isDestructive: true,
    command: () => ['ps', '--yes']
  },
  {
    name: 'save_heap_snapshot',
    title: 'Save a heap snapshot',
    description: 'Writes a redacted heap snapshot to a file, for `diff_files`. It PAUSES the process, about a second for every 100 MB of heap: ask the user first.',
    target: 'process',
    isCapture: true,
    isDestructive: true,
    command: (input, folder) => ['heap', ...option('output', folder)]
  }
]))

/**
 * One argument, so that a value can never be read as another option.
 * @param {string} name
 * @param {unknown} value
 * @returns {string[]}
 */
function option (name, value) {
  return value === undefined ? [] : [`--${name}=${value}`]
}

/**
 * @param {Tool} tool
 * @param {readonly string[]} addresses
 * @returns {{ type: 'object', properties: Record<string, object>, required: readonly string[], additionalProperties: false }}
 */
function inputSchemaOf ({ input, required = [], target }, addresses) {
  const ofProcess = target !== 'none' && {
    pid: { type: 'integer', minimum: 1, description: 'process of this host, from `list`' },
    ...(addresses.length > 0 && { address: { enum: addresses, description: 'admin surface of a process, instead of a pid' } }),
    ...(target === 'group' && { group: { type: 'string', minLength: 1, description: 'all processes of this application on this host, instead of a pid' } })
  }
  return { type: 'object', properties: { ...ofProcess, ...input }, required, additionalProperties: false }
}

/**
 * @param {Tool} tool
 * @param {Input} input   valid by its schema
 * @param {object} settings
 * @param {ReadonlyMap<string, string>} settings.addresses  by the text shown: addresses, with their tokens
 * @param {string | undefined} settings.tokenFile
 * @param {string} settings.folder
 * @returns {string[]} arguments of the command line
 */
function argumentsOf ({ name, target, command = () => [name], operands }, { pid, address, group, ...input }, { addresses, tokenFile, folder }) {
  const processes = address !== undefined ? [String(addresses.get(address))] : pid !== undefined ? [String(pid)] : []
  const token = address !== undefined ? option('token-file', tokenFile) : []
  const isTargetGiven = target === 'none' || processes.length > 0 // else the command would take its operand for an address
  const rest = isTargetGiven ? operands?.(input) ?? [] : []
  return [...command(input, folder), ...option('group', group), ...token, '--', ...processes, ...rest]
}

module.exports = { TOOLS, argumentsOf, inputSchemaOf }
