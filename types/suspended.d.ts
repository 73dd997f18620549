/** Suspended async functions at one place in the code. */
export interface SuspendedFunction {
  function: string
  /** Relative to `--root`, else to the working directory; '' where the snapshot does not have it. */
  file: string
  /** Where the function begins, from 1: a snapshot does not have the line of its `await`. 0: unknown. */
  line: number
  column: number
  count: number
  /** The suspended functions that await these, most first. */
  awaitedBy: SuspendedFunction[]
}

/** Where chains of suspended functions end: the innermost function of the application, or where there is none, of a package or of Node.js. */
export interface SuspendedStop extends SuspendedFunction {
  /**
   * What it awaits, as far as the snapshot shows it: a package (`pg-pool`), a module of Node.js (`node:fs/promises`), `fetch`, or `timer`, `file`, `dns`,
   * `connect`, `http`, `process`, `crypto`. null: a promise of the application itself.
   */
  awaited: string | null
  /** The object, function or variable that will settle the promise: `Lock.queue`, with the line of its class or function. */
  holder: { name: string, file: string, line: number } | null
  /** These functions wait for each other. */
  isCircular: boolean
}

/** `loopscope ps --json`: docs/suspended.md. */
export interface Suspended {
  /** null: not known of this file. */
  pid: number | null
  /** When the snapshot was taken, in milliseconds since the epoch; null: not known of this file. */
  takenAt: number | null
  /** All suspended async functions of the process, those of packages included. */
  suspended: number
  /** Most first; at most 500. */
  stops: SuspendedStop[]
}
