import type { CalledPackage, CodeFrame } from './diagnostics'

/** What may be wrong; docs/findings.md has the table. */
export type FindingId =
  | 'hot-sync-call' | 'hot-json' | 'hot-logging' | 'hot-clock' | 'hot-dependency' | 'hot-function'
  | 'socket-writes' | 'socket-reads' | 'socket-connects' | 'many-short-turns' | 'task-flood' | 'gc-pressure' | 'heap-grows' | 'buffers-grow' | 'pool-full' | 'starved' | 'suspended'
  | 'start-up' | 'busy-threads' | 'slow-elsewhere' | 'own-cost' | 'unexplained-stalls' | 'nothing-wrong' | 'too-little-seen'

/** `none`: an answer, and nothing to do. */
export type Severity = 'critical' | 'warning' | 'info' | 'none'

export interface FindingPlace extends CodeFrame {
  /** The dependency that was called from here, and in which the time is spent. */
  via: CalledPackage | null
  /** `METHOD /path/:template` for which more than half of it ran; null where that is not known, or no route has so much. */
  route: string | null
}

export interface Finding {
  id: FindingId
  /** One sentence. */
  title: string
  severity: Severity
  /** Part of the observed time that was lost to it, 0 to 1. */
  share: number
  /** The same in milliseconds: time in which the loop, or with `pool-full`, `busy-threads` and `slow-elsewhere` requests, could not go on. Findings are ranked by it. */
  lostMs: number
  /** When it was first seen, in milliseconds since the epoch; null where that is not known. */
  since: number | null
  /** When it was so, in milliseconds since the epoch, where it is over: it is of before the observed time, by the stalls of then. null: it is so now. */
  over: { from: number, to: number } | null
  /** What happened, with figures. */
  what: string
  where: FindingPlace | null
  why: string
  /** What to change. */
  instead: string
  /** Figures that it rests on; the unit is in the name. */
  evidence: Record<string, number | string | null>
  confidence: 'high' | 'medium' | 'low'
  /** Commands and calls that tell more. */
  next: string[]
}

/** One ranked answer to "what is wrong with this process, and what do I change?". */
export interface Findings {
  /** Milliseconds since the epoch. */
  at: number
  pid: number
  appName: string
  /** What was observed: the last minute at most, without idle time before and after the work. */
  observedSeconds: number
  /** The same as a stretch of time, in milliseconds since the epoch. All figures are of it, and all findings but those that are over. */
  observed: { from: number, to: number }
  /** How long the loop has been stuck now, in milliseconds; 0 while it turns. */
  blockedMs: number
  /** True when the loop was stuck and what only the main thread knows is missing, or of before. */
  isStale: boolean
  figures: {
    /** null where the main thread did not answer. */
    delayP99Ms: number | null
    /** Of the observed time, 0 to 1; null where nothing was recorded. */
    utilization: number | null
    /** Processors that worker threads had, on average of the last minute: 1 is one whole. Null where the system does not tell. */
    workers: number | null
    longestStallMs: number
    stalls: number
    /** Requests answered a second, and being answered; null where it is not known. */
    requestsPerSecond: number | null
    requestsInFlight: number | null
  }
  /** Worst first, never empty: `nothing-wrong` and `too-little-seen` are answers. */
  findings: Finding[]
}
