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
  highBytes: number | null
  processBytes: number
  reclaimed: number
  killed: number
  basis: string
}

export interface MemoryPoint {
  /** Milliseconds since the epoch. */
  at: number
  /** By owner. */
  bytes: Partial<Record<MemoryOwnerName, number>>
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
  /** null: no control group with a limit. */
  container: ContainerMemory | null
  /** Every ten seconds, ten minutes. */
  recent: MemoryPoint[]
  /** Every ten minutes, a day. */
  coarse: MemoryPoint[]
}
