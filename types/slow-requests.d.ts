import type { WaitedAt, WaitPlace } from './waits'

/** Calls of one request that it waited for, all of one name. */
export interface RequestWait {
  /** `redis`, `mysql`, `mssql`, `http`, `net`, `dns` or `process`. */
  kind: string
  /** `GET`, `SELECT`; `connect`, `acquire` (a connection, from a pool), `lookup`, `spawn`. `_other`: a rare one. */
  operation: string
  /** `host:port`; of a child process its file. `_other`: of many. */
  target: string
  calls: number
  /** Those of them that failed. */
  errors: number
  /** Part of `waitingMs` in which at least one of them was under way. */
  ms: number
}

/** A part of a slow request: docs/slow-requests.md#steps. */
export interface SlowRequestStep {
  kind: 'own' | 'behind' | 'gc' | 'waiting'
  /** From its arrival on, in milliseconds. */
  atMs: number
  ms: number
  /** Behind the code of which route; null: code outside requests, and for other kinds. */
  route: string | null
  /** The call that it waited for; null: not known. */
  call: { kind: string, operation: string, target: string } | null
  /** The line at which it waited; null: not known. */
  line: (WaitPlace & Pick<WaitedAt, 'awaited' | 'via'>) | null
}

/** One of the slowest requests of its route, and where its time went: docs/slow-requests.md. All times in milliseconds. */
export interface SlowRequest {
  /** When it arrived, in milliseconds since the epoch, as far as that is known. */
  at: number
  /** `METHOD /path/:template`, or `job name`. */
  route: string
  /** 499 where the client disconnected before the response was complete; null for a job. */
  status: number | null
  /** From `at` to the end of the response. */
  durationMs: number
  /**
   * Part of it: how long it may have been in its socket before the blocked loop could read it. An upper bound, since the time of arrival
   * cannot be known in the process. 0 where the loop was in time.
   */
  unreadMs: number
  /** Its own synchronous code. */
  ownMs: number
  /** Other code blocked the loop and delayed the request; not what the loop did while the request waited for a call whose answer had not come. */
  behindMs: number
  /** That code by route, longest first. null: code outside requests, or of an unidentified request. */
  behind: { route: string | null, ms: number }[]
  /** Garbage collections, independent of which code made the garbage. */
  gcMs: number
  /** The rest: files, sockets, timers, libuv's thread pool. */
  waitingMs: number
  /**
   * For what, as far as it is known: calls of the application to databases, caches and other services (docs/dependency-calls.md), longest first. At
   * most 20. Several may have been waited for at once, so that the sum can be more than `waitingMs`; what they leave of it was something else.
   */
  waits: RequestWait[]
  /** The lines at which it waited, longest first: docs/waits.md. null: it was not one of the sampled requests. */
  waitedAt: WaitedAt[] | null
  /** The same in order, from its arrival on, without what is shorter than half a millisecond; of more than 40 the longest. */
  steps: SlowRequestStep[]
  /** Of the trace that it is part of, where there is one. */
  traceId: string | null
}
