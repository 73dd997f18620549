import type { ArtifactFormat, CaptureKind, DelaySummary, ExactSyncCall, SampledSyncCall, Stall } from './diagnostics'
import type { Finding, FindingId, Findings } from './findings'
import type { SlowRequest } from './slow-requests'

/** One process of a group, and what came of asking it. */
export interface GroupProcess {
  pid: number
  /** Of no other process, also where pids are the same: of other containers, and of those that ended. */
  id: string
  /** It answered. */
  up: boolean
  /** Why nothing of it is in the answer. */
  problem: string | null
  /** Its loop did not answer: some of what it says is of before. */
  isStale: boolean
}

/** An answer of all processes of a group: docs/group.md. */
export interface GroupAnswer {
  group: string
  /** Milliseconds since the epoch. */
  at: number
  processes: GroupProcess[]
  /** All of them are in it. */
  complete: boolean
}

export interface GroupFinding extends Omit<Finding, 'id'> {
  id: FindingId | 'hot-worker'
  /** Of which processes it is true, the worst first, and of how many that were asked and answered. */
  workers: { pids: number[], of: number }
}

export interface GroupFindings extends GroupAnswer {
  observedSeconds: number
  /** Whose loops are stuck now. */
  blocked: { pid: number, blockedMs: number }[]
  /** Of all: sums of what can be counted, the mean of the utilisation, the worst of the rest. */
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
  /** Those that last, longest first. */
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
    /** Its id at the process that made it. */
    capture: string | null
    artifact: { name: string, format: ArtifactFormat, bytes: number, contentType: string, from: number, to: number, sha256: string } | null
    /** Where the process that was asked has it too: they share a store. */
    _links?: { artifact: { href: string } }
  })[]
}
