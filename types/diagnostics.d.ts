import type { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ReadStream } from 'node:fs'
import type { Registry } from 'prom-client'
import type { FormatName } from './profile'
import type { Findings } from './findings'
import type { Rule } from './rules'
import type { SlowRequest } from './slow-requests'

export type { LoopscopeError, LoopscopeErrorCode } from './errors'
export type { Finding, FindingId, FindingPlace, Findings, Severity } from './findings'
export type { CaptureAction, LogAction, Rule, RuleAction, RuleConditions, RuleLimit, WebhookAction } from './rules'
export type { SlowRequest } from './slow-requests'
export type { CallFrame, CpuProfile, EncodeContext, Format, FormatName, ProfileNode } from './profile'

/** The part of a pino logger that is used. */
export interface Logger {
  info (fields: object, message?: string): void
  warn (fields: object, message?: string): void
  error (fields: object, message?: string): void
}

export type EngineName = 'inspector' | 'v8-profiler-next'

export interface RecorderOptions {
  /** Samples a second, 1 to 1000. Default 100, the rate of Go's profiler. */
  hz?: number
  /** Length of one recorded window in seconds, 1 to 30; while the process is idle four times that, 30 at most. Default 5. */
  windowSeconds?: number
  /** How far back a capture can look, in seconds, 10 to 600. Default 60. */
  keepSeconds?: number
  /** What records. Default 'inspector' (built in); 'v8-profiler-next' is an optional peer dependency. */
  engine?: EngineName
}

export interface RetentionOptions {
  /** Artifacts kept, of each application. Default 10. */
  maxCount?: number
  /** Bytes kept, all artifacts of an application together. Default 1 GiB. */
  maxBytes?: number
  /** Age in milliseconds after which an artifact is removed. Default 24 hours. */
  maxAgeMs?: number
  /** Free bytes that a write must leave on the disk. Default 256 MiB. */
  minFreeBytes?: number
}

export interface HeapOptions {
  /** What writes a heap snapshot. Default 'built-in'; 'heapdump' is an optional peer dependency. */
  engine?: 'built-in' | 'heapdump'
  /** A heap snapshot that is estimated to stop the process for longer is refused, 1 to 600000. Default 30000. */
  maxPauseMs?: number
}

export interface SyncCallOptions {
  /** Names of APIs to watch, `fs.*` or `*`. Default ['*']: all but those that are too common to be news (see docs/sync-calls.md). */
  apis?: readonly string[]
  /** Calls of at least so many milliseconds are looked at one by one, shorter ones by sample. Default 1. */
  thresholdMs?: number
  /** Milliseconds a second from which on a call site is flagged. Default 10. */
  flagMsPerSecond?: number
  /** Calls a second from which on a call site of `Date.now` or `new Date()` is flagged. Default 10000. */
  flagCallsPerSecond?: number
}

/** What a signal starts; 'cpu' records the last 30 s and the next 10 s, 'heap-snapshot' a redacted one. */
export type SignalMap = Partial<Record<NodeJS.Signals, CaptureKind>>

/** What a token of the admin surface may do; each scope includes those before it. */
export type AdminScope = 'metrics' | 'profile' | 'dump' | 'manage'

/** The request that option authorize judges: node's own when it came in through the application, else its facts. */
export type AdminRequestFacts = IncomingMessage | { method: string, url: string, headers: IncomingMessage['headers'], peer: string | null }

export interface AdminOptions {
  /** A listener of its own, served by another thread: true (127.0.0.1:6060), a port, `host:port`, or the path of a Unix socket. Default false. */
  listen?: boolean | number | string
  /** Names in the Host header that are taken beside IP addresses and localhost. Default []. */
  hosts?: readonly string[]
}

/** What is asked of a registry: those of prom-client and of its successor, @prometheus-io/client, have it. */
export interface MetricsRegistry {
  registerMetric (metric: unknown): void
  getSingleMetric (name: string): unknown
  removeSingleMetric (name: string): void
  metrics (): Promise<string>
  readonly contentType: string
}

/** One destination of egress: docs/egress.md. */
export interface EgressOptions {
  /** What it is. */
  to: 'put' | 'pyroscope' | 'otlp'
  /**
   * http: or https:. For 'put' with places in its path: {service}, {pid}, {host}, {kind}, {file}, {time}. User, password and query are taken for
   * secret: they are neither logged nor written to disk.
   */
  url: string
  /** Sent with each request; secret as well. */
  headers?: Readonly<Record<string, string>>
  /** Seconds from 1 to 300: how often a CPU profile of the time since the last one is sent; false: only what is captured, and evidence. Default for 'put' false, for profile backends 15. */
  everySeconds?: number | false
  /** Added to what is known of the process: service, pid, host, version. */
  labels?: Readonly<Record<string, string>>
  /** How long a stall lasts, in milliseconds, before evidence of it is sent while it goes on. Default 1000. */
  stallMs?: number
  /** What may wait on disk, of all processes of the application; the oldest goes. Default 67108864. */
  maxQueueBytes?: number
}

export interface DiagnosticsOptions {
  /** Name of the service in logs, titles and file names. Default: the name in the application's package.json, else 'node'. */
  appName?: string
  /** Processes of this user on this host with the same name of a group answer together. Default: `appName`. */
  group?: string
  /** Delay in milliseconds from which the loop counts as stalled, 20 to 60000. Default 100. */
  stallThresholdMs?: number
  /** Period of the heartbeat in milliseconds, 5 to 1000. Default 20. */
  heartbeatMs?: number
  /** The running CPU profiler; false turns it off. */
  recorder?: false | RecorderOptions
  /** Where artifacts are written, in a folder for each application. Default: a 0700 folder of this user under the temporary directory. */
  dir?: string
  retention?: RetentionOptions
  heap?: HeapOptions
  /**
   * Evidence to leave before the process dies of a full heap. 'profile': a sampled heap profile; 'snapshot': a heap snapshot, which
   * takes long and holds everything. Default 'off'.
   */
  onNearHeapLimit?: 'off' | 'profile' | 'snapshot'
  /** Default { SIGUSR2: 'cpu' }; false for none. */
  signals?: false | SignalMap
  /** The exact sync-call detector, which wraps the APIs it watches. Default false. */
  syncCalls?: boolean | SyncCallOptions
  /** Where `app.use(diagnostics())` answers admin requests. Default '/diagnostics'; false: nowhere. */
  path?: string | false
  /** `[scope:]token` of at least 32 characters, or a list of them. Default: none in production, else a random one that is logged. */
  token?: string | readonly string[]
  /** A file with tokens, one a line, read again when it changes. */
  tokenFile?: string
  /** Your own authentication for requests that carry no known token. It runs on the main thread. */
  authorize?: (request: AdminRequestFacts, scope: AdminScope) => boolean | Promise<boolean>
  admin?: AdminOptions
  /** Code is shown as it was written, by its source maps, which the observer reads: docs/source-maps.md. Default true. */
  sourceMaps?: boolean
  /** Worker threads are watched: how busy each is, in which function, and its stalls: docs/threads.md. Default false. */
  threads?: boolean
  /** A socket in the temporary folder that only this user can open, for the command line. Default true. */
  controlSocket?: boolean
  /** Under PM2, and nowhere else: figures for `pm2 describe`, and answers to `pm2 trigger`: docs/pm2.md. Default true. */
  pm2?: boolean
  /**
   * Where profiles, artifacts and evidence are sent: docs/egress.md. Nothing leaves the machine without it. As a variable: JSON, or the path of
   * a file with it. Default false.
   */
  egress?: false | EgressOptions | readonly EgressOptions[]
  /** What to do when something happens: docs/rules.md. Default: none. */
  rules?: readonly Rule[]
  /** What the rules would do is logged, and not done. Default false. */
  rulesDryRun?: boolean
  /** Preloaded: observed from the first moment, and not only once the process listens or has lived for two seconds: docs/frameworks.md. Default false. */
  startAtOnce?: boolean
  /** Where a bundle has the file that `loopscope/observer` was bundled to: docs/bundlers.md. */
  observerFile?: string
  /** A Registry of prom-client or @prometheus-io/client to put the metrics into. Default: one of our own, of prom-client. */
  registry?: MetricsRegistry
  /** A pino-shaped logger. Default: pino on standard output; preloaded, on standard error. */
  logger?: Logger
}

export type Cause = 'code' | 'gc' | 'starved' | 'suspended' | 'unknown'

/** A place in code; file relative to the application, lines and columns from 1. */
export interface CodeFrame {
  function: string
  file: string
  line: number
  column: number
}

/** A package that the application called: where it has no function on the stack, the outermost one that is not the framework. */
export interface CalledPackage {
  package: string
  /** Its function that was called. */
  function: string
  /** The dependency of it in which the time was spent, and the function that was called there; null when it was its own. */
  through: { package: string, function: string } | null
}

/** `line` and `column` are those of the call that took the time, or of the line that burned it; column 0 where only the line is known. */
export interface Culprit extends CodeFrame {
  /** The line on which the function begins. */
  functionLine: number
  /** The synchronous API or builtin at the bottom, e.g. 'pbkdf2Sync' or 'JSON.stringify'; null when JavaScript took the time. */
  call: string | null
  /**
   * The dependency that the application called and in which the time was spent; null when it was spent in the application's own code. Where no
   * function of the application was on the stack, the culprit is one of a dependency: then only when that spent it in a dependency of its own.
   */
  via: CalledPackage | null
  /** Part of the stall's code time spent in this function, 0 to 1; where only the stacks that were read meanwhile name it, the part of those: 1. */
  share: number
}

/** What the cause was judged from; times in milliseconds, null where this system cannot tell. */
export interface StallEvidence {
  /** CPU time of the thread whose loop stalled: the main thread, or the worker thread that diagnostics were started in. */
  cpuMs: number | null
  /** Time that thread stood ready to run without being run. */
  runQueueMs: number | null
  /** Time the cgroup's CPU quota held the process back. */
  throttledMs: number | null
  /** How late the observer thread itself was, though neither at work nor waiting for a processor. */
  observerLateMs: number | null
  /** Time by samples in JavaScript and native calls, and in the garbage collector. */
  codeMs: number | null
  gcMs: number | null
}

/** Where a request is found in distributed traces: ids in lower-case hexadecimal digits, as W3C Trace Context has them. */
export interface Trace {
  /** 32 digits. */
  traceId: string
  /** 16 digits: the span of the request; the caller's, where nothing but the header `traceparent` is known. */
  spanId: string
}

export interface Stall {
  /** Counts up from 1 in this process. */
  id: number
  /** Milliseconds since the epoch at which the stall began. */
  at: number
  durationMs: number
  /** It began before the recorder had started, some tenths of a second after the process: what is named was seen in the rest of it. */
  startingUp: boolean
  cause: Cause
  /** `METHOD /path/:template`; `METHOD _unmatched` for a request that no route answers, null outside requests. */
  route: string | null
  /** The trace of what was at work: by OpenTelemetry's active span, else by the header `traceparent` of the request; null where neither is. */
  trace: Trace | null
  culprit: Culprit | null
  /** The heaviest stack, innermost first. */
  stack: CodeFrame[]
  evidence: StallEvidence
}

export type CaptureKind = 'cpu' | 'heap-snapshot' | 'heap-profile' | 'heap-histogram'
export type Trigger = 'http' | 'signal' | 'stall' | 'rule' | 'api' | 'cli' | 'scrape'

/** What an artifact can be encoded as; each kind has its own. */
export type ArtifactFormat = FormatName | 'heapsnapshot' | 'heapprofile' | 'json'

export interface CaptureOptions {
  /** Record the next so many seconds, above 0, at most 300. Of a heap profile: without it, all since sampling began. */
  seconds?: number
  /** Look back so many seconds, above 0, at most 600; shortened to what is kept. Default 30 when seconds is not given. */
  last?: number
  /** Default: the first format of the kind, 'cpuprofile' for 'cpu'. */
  format?: ArtifactFormat
  /** Of a CPU or heap profile: places in the code as it was written, or as it runs. Default 'original' for 'flamegraph' and 'text', else 'generated'. */
  sources?: 'original' | 'generated'
  /** Of a CPU profile: only what ran for this route, as in 'POST /login'; the rest counts as idle. ERR_LOOPSCOPE_UNKNOWN_ROUTE when nothing did. */
  route?: string
  /** Of a CPU profile: with all worker threads, from now on: needs `seconds`, and takes no `last` and no `route`. Default false. */
  threads?: boolean
  /** Of a heap snapshot: what is taken out of it. Default 'off' for code that asks, 'values' for everything else. */
  redact?: 'values' | 'strict' | 'off'
  /** Of a redacted heap snapshot: equal values are recognisable as equal. Default false. */
  pseudonyms?: boolean
  /** Of a heap snapshot: also when it may not fit, or was just taken. Default false. */
  force?: boolean
  /** Of a heap profile: what is still alive, or all that was allocated, collected since or not. Default 'live'. */
  mode?: 'live' | 'all'
  /** Cancels the capture. */
  signal?: AbortSignal
}

/** What was recorded. */
export interface ArtifactFacts {
  kind: CaptureKind
  format: ArtifactFormat
  trigger: Trigger
  /** The file's name in the store. */
  name: string
  path: string
  bytes: number
  contentType: string
  /** Milliseconds since the epoch: what the artifact covers. */
  from: number
  to: number
  /** Set when the recorder held less than what was asked for. */
  shortened: { wantedSeconds: number, gotSeconds: number } | null
  /** Those that fall into its time, oldest first, and before them the last one before it. */
  marks: Mark[]
}

export interface Artifact extends ArtifactFacts {
  text (): Promise<string>
  stream (): ReadStream
}

/** What somebody did to the process at a moment: a deployment, a switch, the beginning of a load. */
export interface Mark {
  /** Milliseconds since the epoch. */
  at: number
  text: string
}

/** Event-loop delay since start, in milliseconds, the heartbeat's own period subtracted. */
export interface DelaySummary {
  /** Ticks, those that a late tick stood in for included. */
  count: number
  meanMs: number
  p50Ms: number
  p90Ms: number
  p99Ms: number
  /** Since start. */
  maxMs: number
  /** Of the last 30 to 60 seconds. */
  recentMaxMs: number
  /** 0 to 1, of the last 30 to 60 seconds. */
  utilization: number
  /** Every turn of the loop since start, by Node's per-iteration sampling; null where Node has none (before 24.16 and 26.5). */
  iterations: { count: number, p50Ms: number, p90Ms: number, p99Ms: number, maxMs: number } | null
}

/** What to do about a synchronous call. */
export interface Advice {
  why: string
  instead: string
  /** Node's documentation. */
  link: string
}

/** A call site as the recorder's samples know it. */
export interface SampledSyncCall {
  api: string
  /** The first function above the call that is not Node's own; line and column are where it begins. */
  callSite: CodeFrame
  ms: number
  /** Part of all the time that was not idle, 0 to 1. */
  share: number
  /** By route; null for what ran outside requests or after an await. */
  routes: { route: string | null, ms: number }[]
  /** Whether it passed 5 % of the time within the last windows. */
  flagged: boolean
  advice: Advice
}

/** A call site as the exact detector knows it. */
export interface ExactSyncCall {
  api: string
  /** The place of the call itself. */
  callSite: CodeFrame
  /** An estimate where an API is called more than about 100 times a second, from several places; `totals` are exact. */
  calls: number
  totalMs: number
  /** Of `calls` and `totalMs`; 0 where they are exact. */
  standardError: { calls: number, totalMs: number }
  maxMs: number
  routes: { route: string | null, calls: number, ms: number }[]
  flagged: boolean
  advice: Advice
}

/** Each list heaviest first. */
export interface SyncCalls {
  sampled: SampledSyncCall[]
  /** All calls by API, counted one by one; what `exact` divides among call sites. null while option syncCalls is off. */
  totals: { api: string, calls: number, totalMs: number }[] | null
  /** null while option syncCalls is off. */
  exact: ExactSyncCall[] | null
  /** What ran before the first server listened, or `armed` was set; null while option syncCalls is off. */
  startUp: { totalMs: number, sites: ExactSyncCall[] } | null
  /** libuv's thread pool: how often a task had to wait for a thread, and the longest wait in milliseconds. */
  pool: { queued: number, maxWaitMs: number }
}

/** How much of the heap is used after full collections, over time. */
export interface HeapTrend {
  /** 'unknown' until there are 8 collections over 5 minutes. */
  verdict: 'growing' | 'flat' | 'unknown'
  /** Collections that it rests on, and the time that they span. */
  points: number
  minutes: number
  /** After the last of them, without the young generation. */
  usedBytes: number
  /** Of V8's old generation, where everything ends up that stays. */
  limitBytes: number
  /** The median slope (Theil-Sen). */
  bytesPerMinute: number
  /** When the limit is reached if it goes on like this; null unless it grows. */
  minutesToLimit: number | null
  /** What grows most first. */
  spaces: { name: string, usedBytes: number, bytesPerMinute: number }[]
}

export interface HeapWatch {
  trend (): HeapTrend
  stop (): void
}

/** A cached clock: the time as one load from memory. */
export interface Clock {
  /** For createClock({ buffer }) in a worker thread. */
  readonly buffer: SharedArrayBuffer
  readonly running: boolean
  /** The longest that the time stood still within the last 30 to 60 s, in milliseconds. */
  readonly recentMaxStalenessMs: number
  start (): void
  /** From here on now() asks the system, as Date.now() does. */
  stop (): void
  /** Whole milliseconds since the epoch. It goes back only when the system's clock is set back. */
  now (): number
  /** Whole seconds since the epoch. */
  seconds (): number
  date (): Date
}

export interface ClockOptions {
  /** How often the time is renewed in milliseconds, 1 to 1000. Default 10. */
  resolutionMs?: number
  /** Of a clock in another thread: this one then only reads it. */
  buffer?: SharedArrayBuffer
}

export interface DiagnosticsHandle {
  readonly running: boolean
  readonly registry: Registry
  start (): this
  /** Stops everything and gives it back: timers, listeners, threads. Idempotent. */
  close (): Promise<void>
  capture (kind: CaptureKind, options?: CaptureOptions): Promise<Artifact>
  /** The last 200 stalls, newest first. */
  stalls (): Stall[]
  /** The worst requests of the last 15 minutes, at most 10 of a route and 100 in all, worst first: docs/slow-requests.md. Empty while diagnostics do not run. */
  slowRequests (): SlowRequest[]
  /**
   * One ranked answer to "what is wrong with this process, and what do I change?", worst first: docs/findings.md. Nothing is measured for
   * it between questions; an answer takes about a second. Rejects while diagnostics do not run, or with ERR_LOOPSCOPE_OBSERVER_LOST.
   */
  findings (): Promise<Findings>
  /**
   * Marks this moment: in charts, beside captures, and for `loopscope diff --mark`. The last 100 marks are kept: docs/marks.md.
   * @param text 1 to 200 printable characters, else ERR_LOOPSCOPE_INVALID_OPTION is thrown; ERR_LOOPSCOPE_NOT_RUNNING where diagnostics do not run
   */
  mark (text: string): Mark
  /** The last 100 marks, oldest first; also those that were made with `loopscope mark` and over HTTP. */
  marks (): Mark[]
  delay (): DelaySummary
  /**
   * Synchronous calls since start. What was sampled counts up to now: the open window of the recorder is ended and read for it, for which
   * this thread waits some milliseconds, 100 at most; a caller that asks more often than four times a second gets what is known.
   */
  syncCalls (): SyncCalls
  /**
   * Says the template of a request's path, as in `d.route(request, '/users/:id')`, where the framework does not. Takes a request of node:http, Express or
   * Fastify, or a context of Koa or Hono. Never throws: what cannot be used is left out, with one warning.
   */
  route (request: object, template: string): void
  /** Whether the exact detector counts calls as the application's work; set by the first server that listens, or by hand. */
  armed: boolean
  /** The process's cached clock; it runs from its first use until close(). */
  readonly clock: Clock
  readonly heap: {
    /** Notes how much of the heap is used after each full collection, from now on, until stop() or close(). */
    watch (): HeapWatch
  }
}

export interface Diagnostics extends DiagnosticsHandle, EventEmitter {
  on (event: 'stall', listener: (stall: Stall) => void): this
  once (event: 'stall', listener: (stall: Stall) => void): this
  off (event: 'stall', listener: (stall: Stall) => void): this
}

export type Middleware = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void

/** The middleware that is also the handle. */
export type DiagnosticsMiddleware = Middleware & DiagnosticsHandle & {
  /** A Fastify plugin: `await app.register(diagnostics.fastify)`. */
  readonly fastify: (instance: any) => Promise<void>
  /** A Koa middleware: `app.use(diagnostics.koa)`, before the router. */
  readonly koa: (context: any, next: () => Promise<unknown>) => Promise<unknown>
  on (event: 'stall', listener: (stall: Stall) => void): DiagnosticsMiddleware
  once (event: 'stall', listener: (stall: Stall) => void): DiagnosticsMiddleware
  off (event: 'stall', listener: (stall: Stall) => void): DiagnosticsMiddleware
}
