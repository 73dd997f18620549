/** One of the worst requests of its route, and where its time went: docs/slow-requests.md. All times in milliseconds. */
export interface SlowRequest {
  /** Milliseconds since the epoch at which it came, as far as that is known. */
  at: number
  /** `METHOD /path/:template`. */
  route: string
  /** 499 where the client left before the answer was complete. */
  status: number
  /** From `at` until it was answered. */
  durationMs: number
  /**
   * Of that, how long it may have lain in its socket before the loop, which was held up, could read it: at most, since nobody in the
   * process knows when it came. 0 where the loop was in time.
   */
  unreadMs: number
  /** Its own synchronous code. */
  ownMs: number
  /** Other code held the loop. */
  behindMs: number
  /** Whose: by route, longest first. null: code that ran for no request, or for none that is known. */
  behind: { route: string | null, ms: number }[]
  /** Garbage collections, whoever made the garbage. */
  gcMs: number
  /** The rest: files, sockets, timers, libuv's thread pool. */
  waitingMs: number
  /** Of the trace that it is part of, where there is one. */
  traceId: string | null
}
