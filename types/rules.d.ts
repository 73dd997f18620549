import type { CaptureKind, CaptureOptions } from './diagnostics'
import type { FindingId } from './findings'

/** The conditions of a rule; all that are given must hold at once: docs/rules.md#conditions. */
export interface RuleConditions {
  /** A stall reaches this many milliseconds: the rule fires during it. At least `stallThresholdMs`. */
  stallMs?: number
  /** At least this many stalls within the window. */
  stallCount?: number
  /** Share of the window in which the loop was stalled, above 0, at most 1. */
  blockedShare?: number
  /** Share of the window in which the loop was busy, above 0, at most 1. */
  utilization?: number
  /** 99th percentile of the loop's delay within the window, in milliseconds. */
  delayP99Ms?: number
  /** Share of the responses within the window with a status of 500 or more, above 0, at most 1; needs at least 20 responses. */
  errorResponseShare?: number
  /** Memory of the process in bytes, as the system reports it. */
  rssBytes?: number
  /** Bytes of the heap in use after the last full collection, without the young generation. */
  heapAfterGcBytes?: number
  /** A finding of this kind is reported. */
  finding?: FindingId
}

/** A capture of any kind; the other members are its options. */
export interface CaptureAction extends Omit<CaptureOptions, 'signal'> {
  capture: CaptureKind
}

/** Sends what the rule has captured up to this action to the destinations of option `egress`. */
export interface PushAction {
  push: true
}

/** A log line; on standard error while the loop is blocked. */
export interface LogAction {
  log: 'info' | 'warn'
}

/** A POST with JSON. Path, query and headers are treated as secret and never shown. */
export interface WebhookAction {
  webhook: string
  headers?: Record<string, string>
  /** Timeout of each attempt in milliseconds, 100 to 60000. Default 5000. */
  timeoutMs?: number
}

export type RuleAction = CaptureAction | PushAction | LogAction | WebhookAction

/** How often a rule may fire; recorded in a file of the store, which all processes of the application share. */
export interface RuleLimit {
  /** Pause before the same rule fires again for the same culprit, in seconds, 1 to 86400. Default 600. */
  coolDownSeconds?: number
  /** Firings of the rule within 24 hours, over all culprits, 1 to 1000. Default 10. */
  perDay?: number
  /** The same for each culprit, 1 to 1000. Default 3. */
  perCulpritPerDay?: number
  /** Fire only when the first condition is worse than at the firings of the last 20 minutes. Default false. */
  highWaterMark?: boolean
  /** Fire only in every n-th process of a fleet, chosen by a hash of host and instance, 1 to 10000. Default 1. */
  everyNth?: number
}

/**
 * When the conditions hold, run the actions: docs/rules.md.
 * @example
 * { name: 'long stall', when: { stallMs: 1000 }, do: [{ capture: 'cpu', last: 10 }, { log: 'warn' }] }
 */
export interface Rule {
  /** Up to 60 characters, unique. Default: its position, `rules[0]`. */
  name?: string
  when: RuleConditions
  /** The window of conditions that have one, in seconds, 10 to 600. Default 60. */
  withinSeconds?: number
  /** How long the conditions must have held, in seconds, 0 to 3600. Default 0. */
  forSeconds?: number
  /** The actions, run in this order. */
  do: readonly RuleAction[]
  limit?: RuleLimit
}

/** The result of a firing: all actions succeeded, one failed, a limit prevented it, or it was a dry run. */
export type RuleOutcome = 'done' | 'failed' | 'limited' | 'dry-run'

/** A rule without the secrets of its actions, and its state. */
export interface RuleStatus {
  name: string
  when: RuleConditions
  /** null: none of its conditions has a window. */
  withinSeconds: number | null
  forSeconds: number
  do: string[]
  limit: Required<RuleLimit>
  /** False: `everyNth` excludes this process. */
  isHere: boolean
  /** Its conditions when they were last evaluated; null: unknown. */
  now: { name: keyof RuleConditions, value: number | null, isMet: boolean | null }[]
  /** Since when all of them have held, in milliseconds since the epoch; null where they do not, and for `stallMs`. */
  heldSince: number | null
  /** Firings since this observer started. */
  counts: Record<RuleOutcome, number>
  /** The last firing. */
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
