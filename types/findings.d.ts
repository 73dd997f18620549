import type { CalledPackage, CodeFrame } from './diagnostics'
import type { Prediction } from './what-if'

/** All findings; docs/findings.md explains each. */
export type FindingId =
  | 'hot-sync-call' | 'hot-json' | 'hot-logging' | 'hot-clock' | 'hot-dependency' | 'hot-function'
  | 'socket-writes' | 'socket-reads' | 'socket-connects' | 'many-short-turns' | 'task-flood' | 'gc-pressure' | 'heap-grows' | 'buffers-grow' | 'memory-grows' | 'memory-full' | 'memory-report' | 'fragmentation' | 'open-files' | 'pool-full' | 'starved' | 'suspended'
  | 'hanging-requests' | 'small-pool' | 'slow-dns' | 'no-keep-alive' | 'timer-wait' | 'lock-wait' | 'serial-awaits' | 'many-calls'
  | 'start-up' | 'busy-threads' | 'slow-elsewhere' | 'own-cost' | 'unexplained-stalls' | 'nothing-wrong' | 'too-little-seen'

/** `none`: there is nothing to do. */
export type Severity = 'critical' | 'warning' | 'info' | 'none'

/** The location of a finding. */
export interface FindingPlace extends CodeFrame {
  /** The dependency that was called from here and in which the time is spent. */
  via: CalledPackage | null
  /** `METHOD /path/:template` of the route with more than half of it; null where it is not known, or no route has that much. */
  route: string | null
}

/** A problem that stalled the loop before the last mark, and does so again after it. Times in milliseconds since the epoch. */
export interface Again {
  mark: string
  markedAt: number
  /** Of its stalls, the last one before the mark, and the first one after it. */
  lastBefore: number
  firstAfter: number
}

/** One problem, or the statement that there is none: docs/findings.md. */
export interface Finding {
  id: FindingId
  /** One sentence. */
  title: string
  severity: Severity
  /** Share of the observed time that was lost to it, 0 to 1. */
  share: number
  /** The same in milliseconds: time in which the loop, or with `pool-full`, `busy-threads`, `slow-elsewhere` and the findings about waiting requests, could not go on. Findings are ranked by it. */
  lostMs: number
  /** When it was first seen, in milliseconds since the epoch; null where that is not known. */
  since: number | null
  /** If it is over (a long start, or before the observed time): when it happened, in milliseconds since the epoch. null: it is current. */
  over: { from: number, to: number } | null
  /** What happened, with figures. */
  what: string
  where: FindingPlace | null
  why: string
  /** What to change. */
  instead: string
  /** The figures behind it; the unit is in the name. */
  evidence: Record<string, number | string | null>
  confidence: 'high' | 'medium' | 'low'
  /** What would become of the requests without it: docs/what-if.md. null: it is over, or not about code that holds the loop. */
  prediction: Prediction | null
  /** It was there before the last mark (a deployment), too: docs/marks.md. null: it was not, or there is no mark. */
  again: Again | null
  /** Commands and calls that show more. */
  next: string[]
}

/** One ranked answer to "what is wrong with this process, and what do I change?". */
export interface Findings {
  /** Milliseconds since the epoch. */
  at: number
  pid: number
  appName: string
  /** Length of the observed time in seconds: at most the last minute, without idle time before and after the work. */
  observedSeconds: number
  /** The observed time, in milliseconds since the epoch. All figures and findings cover it, except findings that are over. */
  observed: { from: number, to: number }
  /** How long the loop has been blocked at this moment, in milliseconds; 0 while it runs. */
  blockedMs: number
  /** True when the loop was blocked, so that data of the main thread is missing or from before. */
  isStale: boolean
  figures: {
    /** null where the main thread did not answer. */
    delayP99Ms: number | null
    /** Of the observed time, 0 to 1; null where nothing was recorded. */
    utilization: number | null
    /** CPUs used by worker threads, on average over the last minute: 1 is one whole CPU. null where the system does not provide it. */
    workers: number | null
    longestStallMs: number
    stalls: number
    /** Requests answered per second; null where it is not known. */
    requestsPerSecond: number | null
    /** Requests in flight; null where it is not known. */
    requestsInFlight: number | null
  }
  /** Worst first, never empty: without a problem it has `nothing-wrong` or `too-little-seen`. */
  findings: Finding[]
}
