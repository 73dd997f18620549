/** A quantile of the durations of a route, in milliseconds. */
export interface PredictedQuantile {
  /** As it was measured: from the arrival at the socket, as far as that is known. */
  now: number
  low: number
  expected: number
  high: number
}

/** What a change would do to the requests of one route. */
export interface RoutePrediction {
  route: string
  /** How many of them were replayed. */
  requests: number
  /** Why there is no prediction for it; else null. */
  reason: string | null
  p50Ms: PredictedQuantile | null
  p95Ms: PredictedQuantile | null
}

/** What a change would do, from a replay of the recorded requests: docs/what-if.md. */
export interface Prediction {
  /** `removed`: the code is gone. `asynchronous`: it runs in libuv's thread pool, or in processes of its own. `scaled`: it takes another time. */
  change: 'removed' | 'asynchronous' | 'scaled'
  /** Why there is none; else null. */
  reason: string | null
  /** How many seconds, and how many requests, were replayed. */
  seconds: number
  requests: number
  /**
   * `closed`: each client sends its next request when it has the answer to the one before, as load generators do. `open`: they send at their own
   * times. `unknown`: the range covers both.
   */
  clients: 'open' | 'closed' | 'unknown' | null
  /** How many times as many requests of the same mix the process could answer at most; null where there is no limit, or no prediction. */
  maxSpeedUp: number | null
  /** Those with most requests first. */
  routes: RoutePrediction[]
}

/** Which part of the work is faster, and by how much. */
export interface WhatIfOptions {
  /** `METHOD /path/:template`: all that this route does on the event loop. */
  route: string
  /** What is left of its time: 0.25 is four times as fast, 0 (the default) is none. At most 10. */
  scale?: number
}

/** The answer to "what if this route were faster?". */
export interface WhatIf {
  /** Milliseconds since the epoch. */
  at: number
  pid: number
  appName: string
  /** The loop was blocked: the last requests are missing. */
  isStale: boolean
  route: string
  scale: number
  /** How long the recorded requests took, of all routes; those with most requests first. */
  measured: { route: string, requests: number, p50Ms: number, p95Ms: number }[]
  prediction: Prediction
}
