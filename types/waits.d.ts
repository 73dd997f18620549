/** A place in the code of the application, as it was written. */
export interface WaitPlace {
  function: string
  /** Relative to the application's folder. */
  file: string
  /** Of the `await`, from 1. */
  line: number
  column: number
}

/** A line at which a request waited. All times in milliseconds. */
export interface WaitedAt extends WaitPlace {
  /**
   * What was awaited, as far as the stack shows it: a package (`pg-pool`), a module of Node.js (`node:fs/promises`), `fetch`; on demand also the kind
   * of a callback (`timer`, `file`, `dns`, `connect`, `http`, `process`, `crypto`); `timer` and `dns` also where a promise of the application was settled by
   * one, and a package where its callback did. null: another promise that the application made itself.
   */
  awaited: string | null
  /** The package that the application called, where it is another. */
  via: string | null
  /**
   * Where another function of the application called what is awaited, and returned its promise; null: the function that waits has called it, or it is not
   * known.
   */
  calledAt: WaitPlace | null
  /**
   * The code of the application that let it go on, for another request or for none: it waited for a lock or a queue of the application. null: something
   * else, or not known.
   */
  resumedBy: WaitPlace | null
  /** Where `Promise.all()` is awaited: the function in it that alone is waited for most of the time. null: several take as long, or it is not known. */
  longest: WaitPlace | null
  /** Promises that `Promise.all()` awaits there, at a time, in one request; 0: something else is awaited. */
  together: number
  waits: number
  /** The loop was free: the request waited for the thing itself. */
  ms: number
  /** What was awaited may have been ready, but the loop was busy with other code. An upper bound. */
  queuedMs: number
  /** Part of both: it waited for a connection of a pool, where the package of the pool (`tarn`, `generic-pool`) is seen. */
  poolMs: number
  /**
   * Part of both: it waited for its turn, behind other requests, where the package of the queue or lock (`p-limit`, `p-queue`, `async-mutex`) is
   * seen, or requests go on one after the other, in a chain of promises, or as the transactions of others end: a lock of the database.
   */
  turnMs: number
  /** Part of both: it waited for a promise that was not made for this request, or that other sampled requests awaited as well: a load that they share. */
  sharedMs: number
}

/** A line of a route at which its requests waited. */
export interface WaitLine extends WaitedAt {
  /** The functions of the application that awaited this one, innermost first, as far as V8 shows them. */
  callers: WaitPlace[]
  /** Sampled requests that waited here. */
  requests: number
  /** Those of them that were not answered, and waited here in the end. */
  open: number
  /** `ms` as a share of the duration of all sampled requests of the route. */
  share: number
  /** `ms` of one request, of those that waited here. */
  p50Ms: number
  p99Ms: number
  maxMs: number
}

/** Awaits of one function that followed each other. */
export interface SerialWaits extends WaitPlace {
  /** Awaits in a row, in one request: on average, and the most. */
  awaits: number
  maxAwaits: number
  /** Sampled requests in which they followed each other. */
  requests: number
  /** In all, in milliseconds. */
  ms: number
}

/** Where the requests of a route waited. All times in milliseconds. */
export interface RouteWaits {
  /** `METHOD /path/:template`. */
  route: string
  /** Sampled requests. */
  requests: number
  /** Those of them that were not answered: under way still, or their client gave up. */
  open: number
  /** Those of them that waited too often to record everything. */
  truncated: number
  /** Durations of all sampled requests. */
  totalMs: number
  /** The part of it in which the loop was free, or busy with other code. */
  waitingMs: number
  /** The part of `waitingMs` in which no function of the application was seen waiting. */
  unseenMs: number
  /** The part of `waitingMs` in which the client had not read yet what was sent to it, as far as the ticks of the heartbeat show. */
  clientMs: number
  /** The part of `waitingMs` in which the client had not sent all of its request yet, likewise. */
  uploadMs: number
  /** Longest first; at most 50. */
  lines: WaitLine[]
  /** Longest first; at most 5. */
  serial: SerialWaits[]
}

/** For `d.waits()`. */
export interface WaitsOptions {
  /** Sample all requests and jobs for so many seconds from now on, at most 300; without it: what was sampled by itself in the last 15 minutes. */
  seconds?: number
  /** Only this one, as in `GET /orders/:id` or `job resize`. */
  route?: string
}

/** Where requests and jobs wait: docs/waits.md. */
export interface Waits {
  /** How long sampling was asked for; null: what was sampled by itself in the last 15 minutes. */
  seconds: number | null
  /** Requests of all routes that began meanwhile; null: not counted. */
  seen: number | null
  /** Those of them that were sampled, as far as they are kept. */
  sampled: number
  /** Whether waits of callbacks were seen: on demand, from Node.js 24 on. */
  seesCallbacks: boolean
  /** The event loop was blocked: what the application's thread had not sent yet is missing. */
  isStale: boolean
  /** Where most time was spent first. */
  routes: RouteWaits[]
}
