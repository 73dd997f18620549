import type { Culprit } from './diagnostics'

/** Calls of one name that a request waits for: docs/dependency-calls.md. */
export interface OpenCall {
  kind: string
  operation: string
  target: string
  /** How many of them are under way. */
  calls: number
  /** How long there has been one. */
  ms: number
}

/** A request or job under way: docs/requests.md. */
export interface RequestInFlight {
  /** `METHOD /path/:template` or `job name`; null while the router has not found the route. */
  route: string | null
  /** The method; 'job' for a job. */
  method: string
  /** When it may have arrived, in milliseconds since the epoch. */
  at: number
  ageMs: number
  /**
   * 'running': its code is on the loop. 'loop': it waits for the loop, which other code blocks. 'waiting': for its `waits`, or for something that is
   * not known. 'sending': a part of its response was sent. 'receiving': the client has not sent all of the request.
   */
  state: 'running' | 'loop' | 'waiting' | 'sending' | 'receiving'
  /** The calls under way, longest first; none where the library reports no calls. */
  waits: OpenCall[]
  /** Its client has closed the connection. */
  clientGone: boolean
  traceId: string | null
}

export interface RequestsInFlight {
  /** When they were read, in milliseconds since the epoch; null: never. */
  at: number | null
  /** How long ago. */
  ageMs: number | null
  /** They were read earlier: the loop is blocked, and what runs cannot be interrupted. */
  isStale: boolean
  /** How long the loop has been blocked; 0: it is not. */
  blockedMs: number
  /** All requests and jobs under way; the list has the 100 oldest. */
  total: number
  /** Open connections that were upgraded, such as WebSockets: they are not in the list. */
  upgraded: number
  /** The code on the loop when they were read; null: none, or not known. */
  running: {
    /** Of its request or job; null for other code. */
    route: string | null
    /** The function, and the line of the call; null where no function of the application or a dependency is on the stack. */
    culprit: Culprit | null
  } | null
  /** Oldest first. */
  requests: RequestInFlight[]
}
