import type { CaptureKind, CaptureOptions } from './diagnostics'
import type { FindingId } from './findings'

/** What a rule waits for; all that are given must hold at once. docs/rules.md has the table. */
export interface RuleConditions {
  /** A stall reaches so many milliseconds: the rule acts in the middle of it. At least `stallThresholdMs`. */
  stallMs?: number
  /** So many stalls within the window. */
  stallCount?: number
  /** Part of the window that the loop was stalled, above 0, at most 1. */
  blockedShare?: number
  /** Part of the window that the loop was at work, above 0, at most 1. */
  utilization?: number
  /** 99th percentile of the loop's delay within the window, in milliseconds. */
  delayP99Ms?: number
  /** Part of the responses within the window that had a status from 500 on, above 0, at most 1; of 20 responses at least. */
  errorResponseShare?: number
  /** Memory of the process as the system counts it. */
  rssBytes?: number
  /** What was left of the heap after the last full collection, without the young generation. */
  heapAfterGcBytes?: number
  /** A finding of this kind is told. */
  finding?: FindingId
}

/** A capture of any kind; the other members are options of it. */
export interface CaptureAction extends Omit<CaptureOptions, 'signal'> {
  capture: CaptureKind
}

/** Sends what the rule has captured before it to the destinations of option `egress`. */
export interface PushAction {
  push: true
}

/** A line of the log; while the loop is stuck on standard error. */
export interface LogAction {
  log: 'info' | 'warn'
}

/** A POST with JSON. Path, query and headers are shown to nobody. */
export interface WebhookAction {
  webhook: string
  headers?: Record<string, string>
  /** Of each try, 100 to 60000. Default 5000. */
  timeoutMs?: number
}

export type RuleAction = CaptureAction | PushAction | LogAction | WebhookAction

/** How often a rule may act; kept in a file of the store, which all processes of the application share. */
export interface RuleLimit {
  /** Pause for the same rule and culprit, 1 to 86400. Default 600. */
  coolDownSeconds?: number
  /** Of the rule, within 24 hours, 1 to 1000. Default 10. */
  perDay?: number
  /** The same for each culprit, 1 to 1000. Default 3. */
  perCulpritPerDay?: number
  /** Only when the first condition is worse than it was in the last 20 minutes. Default false. */
  highWaterMark?: boolean
  /** Only in every n-th process of a fleet, by a hash of host and instance, 1 to 10000. Default 1. */
  everyNth?: number
}

export interface Rule {
  /** Up to 60 characters, once. Default: its place, `rules[0]`. */
  name?: string
  when: RuleConditions
  /** The window of conditions that have one, 10 to 600. Default 60. */
  withinSeconds?: number
  /** How long the conditions must have held, 0 to 3600. Default 0. */
  forSeconds?: number
  /** In this order. */
  do: readonly RuleAction[]
  limit?: RuleLimit
}

/** What came of an occasion: everything was done, something was not, a limit stood against it, or it was a dry run. */
export type RuleOutcome = 'done' | 'failed' | 'limited' | 'dry-run'

/** A rule as it is shown, without the secrets of its actions, and how it stands. */
export interface RuleStatus {
  name: string
  when: RuleConditions
  /** null: none of its conditions has a window. */
  withinSeconds: number | null
  forSeconds: number
  do: string[]
  limit: Required<RuleLimit>
  /** False: by `everyNth` this process is none of those that act. */
  isHere: boolean
  /** Its conditions when they were last judged; null: it cannot be told. */
  now: { name: keyof RuleConditions, value: number | null, isMet: boolean | null }[]
  /** Milliseconds since the epoch from when on all of them have held; null where they do not, and of stalls. */
  heldSince: number | null
  /** Occasions since this observer started. */
  counts: Record<RuleOutcome, number>
  /** The last occasion. */
  last: {
    rule: string
    at: number
    conditions: { name: string, value: number | null, wanted: number | string }[]
    culprit: { function: string, file: string, line: number, column: number } | null
    route: string | null
    artifacts: { kind: CaptureKind, name: string, path: string, bytes: number, from: number, to: number }[]
    outcome: RuleOutcome
    /** What failed, or the limit. */
    problem: string | null
  } | null
}

/** What `GET /rules` answers. */
export interface RulesStatus {
  dryRun: boolean
  rules: RuleStatus[]
}
