import type { ArtifactFormat, CaptureKind, DelaySummary, ExactSyncCall, SampledSyncCall, Stall } from './diagnostics'
import type { Finding, FindingId, Findings } from './findings'
import type { MemoryOwnerName, MemoryOwners } from './memory'
import type { RequestInFlight, RequestsInFlight } from './requests'
import type { SlowRequest } from './slow-requests'
import type { RouteWaits, Waits } from './waits'

/** One process of a group, and whether it answered. */
export interface GroupProcess {
  pid: number
  /** Unique, even where pids repeat: in other containers, and after a process has ended. */
  id: string
  /** It answered. */
  up: boolean
  /** Why its data is missing; null if it is not. */
  problem: string | null
  /** Its loop did not answer: some of its data is from before. */
  isStale: boolean
}

/** The combined answer of all processes of a group: docs/group.md. */
export interface GroupAnswer {
  group: string
  /** Milliseconds since the epoch. */
  at: number
  processes: GroupProcess[]
  /** Whether all processes answered. */
  complete: boolean
}

export interface GroupFinding extends Omit<Finding, 'id'> {
  id: FindingId | 'hot-worker'
  /** The processes that have it, the worst first, out of how many that answered. */
  workers: { pids: number[], of: number }
}

export interface GroupFindings extends GroupAnswer {
  observedSeconds: number
  /** Processes whose loop is blocked at this moment. */
  blocked: { pid: number, blockedMs: number }[]
  /** Over all processes: sums of counts, the mean utilization, the worst of the rest. */
  figures: Findings['figures']
  findings: GroupFinding[]
}

export interface StallTotals {
  count: number
  blockedMs: number
  byCause: { cause: string, count: number, ms: number }[]
  byRoute: { route: string | null, count: number, ms: number }[]
}

export interface GroupStalls extends GroupAnswer {
  /** Newest first. */
  stalls: (Stall & { pid: number })[]
  /** Stalls that still last, longest first. */
  current: { pid: number, at: number, durationMs: number, route: string | null, culprit: Stall['culprit'], stack: Stall['stack'] }[]
  blocked: { pid: number, blockedMs: number }[]
  totals: StallTotals
}

export interface GroupSyncCalls extends GroupAnswer {
  /** `share` is the mean over the processes. */
  sampled: (SampledSyncCall & { pids: number[] })[]
  totals: { api: string, calls: number, totalMs: number }[] | null
  exact: (ExactSyncCall & { pids: number[] })[] | null
  pool: { queued: number, maxWaitMs: number }
}

export interface GroupSlowRequests extends GroupAnswer {
  /** Slowest first. */
  requests: (SlowRequest & { pid: number })[]
}

export interface GroupRequests extends GroupAnswer {
  /** Of each process that answered. */
  members: (Omit<RequestsInFlight, 'requests'> & { pid: number })[]
  /** The 200 oldest, oldest first. */
  requests: (RequestInFlight & { pid: number })[]
}

export interface GroupWaits extends GroupAnswer, Omit<Waits, 'routes' | 'isStale'> {
  /** Added up. Of a line, `p50Ms` is that of the process in the middle, and `p99Ms` the highest of all. */
  routes: (RouteWaits & { pids: number[] })[]
}

export interface GroupMemory extends GroupAnswer {
  /** Largest first; the worker threads of a process are one owner. */
  members: (Pick<MemoryOwners, 'pid' | 'rssBytes' | 'growing' | 'container' | 'isStale'> & { owners: { owner: MemoryOwnerName, bytes: number }[] })[]
}

export interface GroupOverview extends GroupAnswer {
  members: {
    pid: number
    id: string
    appName: string
    instance: string | null
    startedAt: number
    up: boolean
    blockedMs: number | null
    delay: DelaySummary | null
    rssBytes: number | null
    heapUsedBytes: number | null
    stalls: number | null
    stalledMs: number | null
  }[]
}

/** The answer of POST /group/captures. */
export interface GroupCaptures extends GroupAnswer {
  kind: CaptureKind
  processes: (GroupProcess & {
    /** Its id in the process that made it. */
    capture: string | null
    artifact: { name: string, format: ArtifactFormat, bytes: number, contentType: string, from: number, to: number, sha256: string } | null
    /** A link to the file at the queried process, if both share a store. */
    _links?: { artifact: { href: string } }
  })[]
}
