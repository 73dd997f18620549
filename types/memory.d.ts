import type { CodeFrame } from './diagnostics'

/** Who owns the resident memory of a process: docs/memory.md. */
export type MemoryOwnerName = 'heap' | 'heap-free' | 'worker' | 'loopscope' | 'buffers' | 'external' | 'code' | 'stacks' | 'native'

export interface MemoryOwner {
  owner: MemoryOwnerName
  /** Of a worker thread. */
  name: string | null
  /** In memory. All rows together are the resident memory of the process. */
  bytes: number
  /** What V8 or the system has allocated, which may be more than what is in memory; null: not known. */
  allocatedBytes: number | null
}

/** An owner whose memory grows and does not come to rest. */
export interface Growing {
  owner: 'heap' | 'buffers' | 'external' | 'worker' | 'native'
  /** Of a worker thread. */
  name: string | null
  bytes: number
  bytesPerMinute: number
  /** In the observed time. */
  grownBytes: number
  minutes: number
}

export interface ContainerMemory {
  /** Of all processes in the control group, without what the kernel can take back at once. */
  usedBytes: number
  limitBytes: number
  /** `memory.high` (version 2): from here on the kernel slows its processes down. It is `limitBytes` where there is no other limit. */
  highBytes: number | null
  processBytes: number
  reclaimed: number
  killed: number
  /** Where the kernel moves its memory before it kills; null: nowhere, or not known. */
  swap: { usedBytes: number, freeBytes: number } | null
  /** How long its processes waited for memory in the last ten seconds; null: the kernel does not measure it. */
  pressure: MemoryPressure | null
  basis: string
}

/** Shares of the last ten seconds, 0 to 1. */
export interface MemoryPressure {
  /** A process or more waited for memory. */
  someShare: number
  /** All processes waited for memory. */
  fullShare: number
  /** `machine`: the container's own is not measured (version 1 of control groups). */
  of: 'container' | 'machine'
}

export interface MemoryPoint {
  /** Milliseconds since the epoch. */
  at: number
  /** By owner. */
  bytes: Partial<Record<MemoryOwnerName, number>>
}

/** Memory that was freed and stays in the process. */
export interface MemoryFragmentation {
  /** By how much the memory that V8 counts has fallen from its highest point. */
  freedBytes: number
  /** How much of that stays in the process. */
  keptBytes: number
  /** How much of that V8 keeps, for the heap to use again; the allocator keeps the rest. */
  ofHeapBytes: number
  /** How long ago the highest point was. */
  sinceMs: number
}

export interface Allocator {
  /** null: not known. */
  name: 'jemalloc' | 'tcmalloc' | 'mimalloc' | 'musl' | 'glibc' | null
  /** The variable MALLOC_ARENA_MAX; null: not set. */
  arenaMax: number | null
}

/** `GET /memory`, `loopscope memory --json`. */
export interface MemoryOwners {
  pid: number
  at: number
  /** Of the whole process; null: the system does not report it, and the owners are what V8 counts. */
  rssBytes: number | null
  owners: MemoryOwner[]
  /** Worker threads whose heap Node.js cannot read, or that did not answer: their memory is in `native`. */
  unknownWorkers: number
  /** When the main thread's figures were read: before `at` while it is blocked. */
  measuredAt: number
  isStale: boolean
  growing: Growing[]
  /** null: none. */
  fragmentation: MemoryFragmentation | null
  allocator: Allocator
  /** null: no control group with a limit. */
  container: ContainerMemory | null
  /** Until when allocations were sampled last: `GET /memory/sites`; null: never. */
  sitesAt: number | null
  /** Every ten seconds, ten minutes. */
  recent: MemoryPoint[]
  /** Every ten minutes, a day. */
  coarse: MemoryPoint[]
}

export interface MemoryOptions {
  /** Also which lines allocate what stays, as found last: loopscope samples by itself when something grows. Default false. */
  sites?: boolean
  /** Sample allocations for so many seconds from now on, 1 to 600, and return their sites. What that costs: docs/memory.md. */
  seconds?: number
}

/** `d.memory()`: docs/memory.md. */
export interface ProcessMemory extends MemoryOwners {
  /** With `sites` or `seconds`; null: nothing has been sampled. */
  sites?: AllocationSites | null
}

/** Written before the memory of the container, or V8's heap, is full: an artifact of kind `memory-report`. */
export interface MemoryReport {
  version: 1
  pid: number
  /** When the process started, as its system counts it; '0': not known. Two processes may have had the same id. */
  start: string
  appName: string
  appRoot: string
  /** The file that was started; missing in reports of earlier versions. */
  entry?: string
  nodeVersion: string
  uptimeSeconds: number
  /** Milliseconds since the epoch. */
  at: number
  /** The limit that was near. */
  limit: {
    of: 'container' | 'heap'
    usedBytes: number
    limitBytes: number
    /** In the last moments; 0: it did not grow. */
    bytesPerSecond: number
    basis: string
  }
  /** When the main thread's figures were read: what it has allocated since counts as native memory. null: never. */
  measuredAt: number | null
  rssBytes: number | null
  owners: MemoryOwner[]
  /** The owners when the limit came near, at most a minute before. */
  earlier: MemoryPoint | null
  growing: Growing[]
  container: ContainerMemory | null
  /** The owners of the last ten minutes. */
  recent: MemoryPoint[]
  blockedMs: number
  /** What was wrong a little earlier, when memory became scarce; null: there was no time to judge. */
  findings: { at: number, findings: { id: string, severity: string, title: string, instead: string }[] } | null
  /** The oldest requests in flight; null: the main thread did not answer in time. */
  requests: { total: number, at: number | null, list: object[] } | null
  /** Where sampled memory that is alive was allocated; null: no heap profile was running, or V8 did not answer in time. */
  heapProfile: { sampledBytes: number, lines: { function: string, file: string, line: number, bytes: number }[] } | null
  /** What allocates and keeps memory, by line and route, where that is followed. */
  sites?: AllocationSites
}

/** A report of a process of this application that was written before this one started, and that has ended. */
export interface PreviousMemoryReport {
  name: string
  path: string
  report: MemoryReport
}

/**
 * Where memory that is still alive was allocated: docs/memory.md. The position is in the application where its code is on the stack, else in a package or in
 * Node.js; in the heap it is the line on which the function begins, for Buffers that of the call.
 */
export interface AllocationSite extends CodeFrame {
  kind: 'heap' | 'buffers'
  /** Of a worker thread; null: the main thread. */
  thread: string | null
  /** The function of the application that called it. */
  caller: CodeFrame | null
  /** The package or the part of Node.js in between. */
  through: string | null
  /** null: outside requests, or of several routes. */
  route: string | null
  /** What holds much of it, as far as the stack shows it: `Map`, `Set`, `Array`, `listeners`, `timers`, `promises`, `zlib streams`, `write queues`, `sockets`, `metric labels`, `memoized results`; for
   * Buffers what created them. */
  holder: string | null
  /** The only line of that function, of the callers, of the route's handlers, or of a function with the same caller, that adds to a collection, a listener
   * or a timer: probably what keeps it. Of Buffers only where the application does not create them itself. `isGuess`: nothing links it to the allocation but
   * that no other line is known to keep anything. */
  keptAt: { file: string, line: number, text: string, isGuess?: boolean } | null
  /** Alive. */
  bytes: number
  /** That were drawn: the fewer, the rougher the figures. */
  samples: number
  /** The same by the interval in which it was allocated, oldest first. */
  byBirth: number[]
  /** `stays`: alive from every interval; `temporary`: the older ones are gone; `once`: allocated in the first interval; `young`: too short to tell. */
  verdict: 'stays' | 'temporary' | 'once' | 'young'
  /** Of what stays. */
  bytesPerMinute: number
  /** Likewise, by the requests of its route. */
  bytesPerRequest: number | null
}

/** `GET /memory/sites`, `loopscope memory --sites`. */
export interface AllocationSites {
  pid: number
  reason: 'growth' | 'asked'
  /** Milliseconds since the epoch. */
  fromMs: number
  toMs: number
  isArmed: boolean
  /** Seconds of each interval of birth. */
  intervals: number[]
  /** Heaviest first of those that stay, then the others. */
  sites: AllocationSite[]
  /** Of what is alive from these intervals: what has a site in the application or a package, and all. */
  heap: { attributedBytes: number, sampledBytes: number } | null
  buffers: { attributedBytes: number, sampledBytes: number, grownBytes: number | null } | null
  /** Why something is missing. */
  notes: string[]
  /** Main-thread time that the readings, and the samples of Buffers, took. */
  ownMs: number
}
