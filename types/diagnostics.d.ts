import type { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ReadStream } from 'node:fs'
import type { Registry } from 'prom-client'
import type { FormatName } from './profile'
import type { Findings } from './findings'
import type { Rule } from './rules'
import type { RequestsInFlight } from './requests'
import type { SlowRequest } from './slow-requests'
import type { MemoryOptions, ProcessMemory } from './memory'
import type { Waits, WaitsOptions } from './waits'
import type { WhatIf, WhatIfOptions } from './what-if'

export type { LoopscopeError, LoopscopeErrorCode } from './errors'
export type { Finding, FindingId, FindingPlace, Findings, Severity } from './findings'
export type { CaptureAction, LogAction, Rule, RuleAction, RuleConditions, RuleLimit, WebhookAction } from './rules'
export type { OpenCall, RequestInFlight, RequestsInFlight } from './requests'
export type { RequestWait, SlowRequest } from './slow-requests'
export type { CallFrame, CpuProfile, EncodeContext, Format, FormatName, ProfileNode } from './profile'

/** The methods of a pino logger that loopscope uses. */
export interface Logger {
  info (fields: object, message?: string): void
  warn (fields: object, message?: string): void
  error (fields: object, message?: string): void
}

/**
 * The profiler: Node's inspector, Node's `v8.startCpuProfile()` (`builtin`, from Node.js 24.12 on), or the optional peer dependency
 * `v8-profiler-next`. `auto` is `builtin` on Node.js 26, and elsewhere the inspector, or `builtin` where that cannot be used.
 */
export type EngineName = 'auto' | 'inspector' | 'builtin' | 'v8-profiler-next'

/** The continuous CPU profiler. */
export interface RecorderOptions {
  /**
   * Samples per second, 1 to 1000. Default 100, the rate of Go's profiler.
   * @example
   * diagnostics({ recorder: { hz: 50 } })
   */
  hz?: number
  /**
   * Length of one recorded window in seconds, 1 to 30; four times as long while the process is idle, at most 30. Default 5.
   * @example
   * diagnostics({ recorder: { windowSeconds: 2 } })
   */
  windowSeconds?: number
  /**
   * How far back a capture can look, in seconds, 10 to 600. Default 60.
   * @example
   * diagnostics({ recorder: { keepSeconds: 300 } })
   */
  keepSeconds?: number
  /**
   * The profiler. Default 'auto'.
   * @example
   * diagnostics({ recorder: { engine: 'builtin' } })
   */
  engine?: EngineName
}

/** How much is kept on disk, per application. */
export interface RetentionOptions {
  /**
   * Number of artifacts kept, per application. Default 10.
   * @example
   * diagnostics({ retention: { maxCount: 50 } })
   */
  maxCount?: number
  /**
   * Bytes kept, all artifacts of an application together. Default 1 GiB.
   * @example
   * diagnostics({ retention: { maxBytes: 200 * 1024 ** 2 } })
   */
  maxBytes?: number
  /**
   * Age in milliseconds after which an artifact is removed. Default 24 hours.
   * @example
   * diagnostics({ retention: { maxAgeMs: 7 * 24 * 3600e3 } })
   */
  maxAgeMs?: number
  /**
   * Free bytes that a write must leave on the disk. Default 256 MiB.
   * @example
   * diagnostics({ retention: { minFreeBytes: 1024 ** 3 } })
   */
  minFreeBytes?: number
}

export interface HeapOptions {
  /**
   * What writes a heap snapshot. Default 'built-in'; 'heapdump' is an optional peer dependency.
   * @example
   * diagnostics({ heap: { engine: 'heapdump' } })
   */
  engine?: 'built-in' | 'heapdump'
  /**
   * A heap snapshot is refused if it is estimated to stop the process for longer, in milliseconds, 1 to 600000. Default 30000.
   * @example
   * diagnostics({ heap: { maxPauseMs: 5000 } })
   */
  maxPauseMs?: number
}

/** The exact sync-call detector. */
export interface SyncCallOptions {
  /**
   * Names of APIs to watch, `fs.*` or `*`. Default ['*']: all except the very common ones (see docs/sync-calls.md).
   * @example
   * diagnostics({ syncCalls: { apis: ['fs.*', 'crypto.*'] } })
   */
  apis?: readonly string[]
  /**
   * Calls of at least this many milliseconds are always attributed to their call site, shorter ones by sampling. Default 1.
   * @example
   * diagnostics({ syncCalls: { thresholdMs: 5 } })
   */
  thresholdMs?: number
  /**
   * Milliseconds per second from which a call site is flagged. Default 10.
   * @example
   * diagnostics({ syncCalls: { flagMsPerSecond: 50 } })
   */
  flagMsPerSecond?: number
  /**
   * Calls per second from which a call site of `Date.now` or `new Date()` is flagged. Default 10000.
   * @example
   * diagnostics({ syncCalls: { flagCallsPerSecond: 100_000 } })
   */
  flagCallsPerSecond?: number
}

/** The capture that each signal starts; 'cpu' records the last 30 s and the next 10 s, 'heap-snapshot' is redacted. */
export type SignalMap = Partial<Record<NodeJS.Signals, CaptureKind>>

/** What a token of the admin surface allows; each scope includes those before it. */
export type AdminScope = 'metrics' | 'profile' | 'dump' | 'manage'

/** The request passed to option `authorize`: Node's own object if it came through the application, else its properties. */
export type AdminRequestFacts = IncomingMessage | { method: string, url: string, headers: IncomingMessage['headers'], peer: string | null }

export interface AdminOptions {
  /**
   * A separate listener, served by another thread: true (127.0.0.1:6060), a port, `host:port`, or the path of a Unix socket. Default false.
   * @example
   * diagnostics({ admin: { listen: '127.0.0.1:6060' } })
   */
  listen?: boolean | number | string
  /**
   * Names accepted in the Host header, in addition to IP addresses and localhost. Default [].
   * @example
   * diagnostics({ admin: { hosts: ['shop.internal'] } })
   */
  hosts?: readonly string[]
}

/** The methods of a registry that loopscope uses: those of prom-client and of its successor, @prometheus-io/client, have them. */
export interface MetricsRegistry {
  registerMetric (metric: unknown): void
  getSingleMetric (name: string): unknown
  removeSingleMetric (name: string): void
  metrics (): Promise<string>
  readonly contentType: string
}

/** One destination of egress: docs/egress.md. */
export interface EgressOptions {
  /**
   * The kind of destination: object storage (PUT), Pyroscope, or an OpenTelemetry collector.
   * @example
   * diagnostics({ egress: { to: 'pyroscope', url: 'http://pyroscope:4040' } })
   */
  to: 'put' | 'pyroscope' | 'otlp'
  /**
   * http: or https:. For 'put' its path has placeholders: {service}, {pid}, {host}, {kind}, {file}, {time}. User, password and query are treated as
   * secret: they are neither logged nor written to disk. Without one, 'otlp' uses OTEL_EXPORTER_OTLP_ENDPOINT, with OTEL_EXPORTER_OTLP_HEADERS.
   * @example
   * diagnostics({ egress: { to: 'put', url: 'https://bucket.example.com/{service}/{host}/{file}' } })
   */
  url?: string
  /**
   * Sent with each request; treated as secret as well.
   * @example
   * diagnostics({ egress: { to: 'otlp', url: 'https://collector:4318', headers: { 'x-api-key': process.env.KEY } } })
   */
  headers?: Readonly<Record<string, string>>
  /**
   * Seconds from 1 to 300: how often a CPU profile of the time since the last one is sent; false: only captures and evidence. Default: false for 'put', 15 for profile backends.
   * @example
   * diagnostics({ egress: { to: 'put', url, everySeconds: 60 } })
   */
  everySeconds?: number | false
  /**
   * Added to the labels of the process: service, pid, host, version.
   * @example
   * diagnostics({ egress: { to: 'pyroscope', url, labels: { region: 'eu' } } })
   */
  labels?: Readonly<Record<string, string>>
  /**
   * How long a stall lasts, in milliseconds, before evidence of it is sent while it continues. Default 1000.
   * @example
   * diagnostics({ egress: { to: 'put', url, stallMs: 5000 } })
   */
  stallMs?: number
  /**
   * Bytes that may wait on disk, over all processes of the application; the oldest items are dropped. Default 67108864.
   * @example
   * diagnostics({ egress: { to: 'put', url, maxQueueBytes: 16 * 1024 ** 2 } })
   */
  maxQueueBytes?: number
}

/**
 * All options; each can also be set by a `LOOPSCOPE_*` variable, and code wins: docs/options.md. Unknown options throw ERR_LOOPSCOPE_UNKNOWN_OPTION,
 * invalid values ERR_LOOPSCOPE_INVALID_OPTION.
 * @example
 * app.use(diagnostics({ stallThresholdMs: 200, admin: { listen: 6060 } }))
 */
export interface DiagnosticsOptions {
  /**
   * Name of the service in logs, titles and file names. Default: OpenTelemetry's (OTEL_SERVICE_NAME), else the name in the application's package.json, else 'node'.
   * @example
   * diagnostics({ appName: 'shop' })
   */
  appName?: string
  /**
   * Processes of this user on this host that have the same group answer together. Default: `appName`.
   * @example
   * diagnostics({ group: 'shop-api' })
   */
  group?: string
  /**
   * Delay in milliseconds from which the loop counts as stalled, 20 to 60000. Default 100.
   * @example
   * diagnostics({ stallThresholdMs: 200 })
   */
  stallThresholdMs?: number
  /**
   * Period of the heartbeat in milliseconds, 5 to 1000. Default 20.
   * @example
   * diagnostics({ heartbeatMs: 10 })
   */
  heartbeatMs?: number
  /**
   * The continuous CPU profiler; false turns it off.
   * @example
   * diagnostics({ recorder: false })
   */
  recorder?: false | RecorderOptions
  /**
   * Where artifacts are written, in a folder for each application. Default: a 0700 folder of this user under the temporary directory.
   * @example
   * diagnostics({ dir: '/var/lib/shop/diagnostics' })
   */
  dir?: string
  /**
   * How much is kept on disk.
   * @example
   * diagnostics({ retention: { maxCount: 50 } })
   */
  retention?: RetentionOptions
  /**
   * Heap snapshots.
   * @example
   * diagnostics({ heap: { maxPauseMs: 5000 } })
   */
  heap?: HeapOptions
  /**
   * What is written before the process runs out of heap memory. 'profile': a sampled heap profile; 'snapshot': a heap snapshot, which
   * takes long and holds all data. Default 'off'.
   * @example
   * diagnostics({ onNearHeapLimit: 'profile' })
   */
  onNearHeapLimit?: 'off' | 'profile' | 'snapshot'
  /**
   * Share of the container's memory limit, or of V8's heap limit, at which a small report is written to the store and sent by `egress`: who owns the
   * memory, what grows, requests in flight, findings. By default 0.9; false: never. Of V8's limit it is at most 0.8: from there V8 may end the process.
   * @example
   * diagnostics({ memoryReport: 0.8 })
   */
  memoryReport?: number | false
  /**
   * What a signal captures. Default { SIGUSR2: 'cpu' }; false for none.
   * @example
   * diagnostics({ signals: { SIGUSR2: 'heap-snapshot' } })
   */
  signals?: false | SignalMap
  /**
   * The exact sync-call detector, which wraps the APIs it watches. Default false.
   * @example
   * diagnostics({ syncCalls: true })
   */
  syncCalls?: boolean | SyncCallOptions
  /**
   * Where `app.use(diagnostics())` answers admin requests. Default '/diagnostics'; false: nowhere.
   * @example
   * diagnostics({ path: '/ops/diagnostics' })
   */
  path?: string | false
  /**
   * `[scope:]token` of at least 32 characters, or a list of them. Default: none in production, else a random one that is logged.
   * @example
   * diagnostics({ token: process.env.DIAGNOSTICS_TOKEN })
   */
  token?: string | readonly string[]
  /**
   * A file with tokens, one per line, read again when it changes.
   * @example
   * diagnostics({ tokenFile: '/run/secrets/diagnostics' })
   */
  tokenFile?: string
  /**
   * Your own authentication for requests without a valid token. It runs on the main thread, so it cannot answer while the loop is blocked.
   * @example
   * diagnostics({ authorize: (request, scope) => scope === 'metrics' || isAdmin(request) })
   */
  authorize?: (request: AdminRequestFacts, scope: AdminScope) => boolean | Promise<boolean>
  /**
   * The admin surface besides the mounted one: docs/admin.md.
   * @example
   * diagnostics({ admin: { listen: 6060 } })
   */
  admin?: AdminOptions
  /**
   * Show original code, with source maps, which the observer reads: docs/source-maps.md. Default true.
   * @example
   * diagnostics({ sourceMaps: false })
   */
  sourceMaps?: boolean
  /**
   * Watch worker threads: how busy each is, in which function, and its stalls: docs/threads.md. Default false.
   * @example
   * diagnostics({ threads: true })
   */
  threads?: boolean
  /**
   * Measure the calls of the application to databases, caches and other services: docs/dependency-calls.md. Default true.
   * @example
   * diagnostics({ dependencyCalls: false })
   */
  dependencyCalls?: boolean
  /**
   * Sample where requests wait, a few of them every second: docs/waits.md. Default true.
   * @example
   * diagnostics({ waits: false })
   */
  waits?: boolean
  /**
   * A socket in the temporary folder that only this user can open, for the command line. Default true.
   * @example
   * diagnostics({ controlSocket: false })
   */
  controlSocket?: boolean
  /**
   * Under PM2 only: figures for `pm2 describe`, and actions for `pm2 trigger`: docs/pm2.md. Default true.
   * @example
   * diagnostics({ pm2: false })
   */
  pm2?: boolean
  /**
   * Where profiles, artifacts and evidence are sent: docs/egress.md. Without it no data leaves the machine, except by webhooks of rules. As a variable:
   * JSON, or the path of a JSON file. Default false.
   * @example
   * diagnostics({ egress: { to: 'otlp', url: 'http://127.0.0.1:4318' } })
   */
  egress?: false | EgressOptions | readonly EgressOptions[]
  /**
   * Actions to run when conditions are met: docs/rules.md. Default: none.
   * @example
   * diagnostics({ rules: [{ when: { stallMs: 1000 }, do: [{ capture: 'cpu' }] }] })
   */
  rules?: readonly Rule[]
  /**
   * Log what the rules would do, without doing it. Default false.
   * @example
   * diagnostics({ rules, rulesDryRun: true })
   */
  rulesDryRun?: boolean
  /**
   * When preloaded: observe the process from its first moment, and not only once it loads a server module, listens, or has lived for two seconds (a minute, if it is the command of a package): docs/frameworks.md. Default false.
   * @example
   * LOOPSCOPE_START_AT_ONCE=true node --require loopscope/register app.js
   */
  startAtOnce?: boolean
  /**
   * Path of the file to which `loopscope/observer` was bundled: docs/bundlers.md.
   * @example
   * diagnostics({ observerFile: path.join(__dirname, 'observer.js') })
   */
  observerFile?: string
  /**
   * A Registry of prom-client or @prometheus-io/client to put the metrics into. Default: loopscope creates one with prom-client.
   * @example
   * diagnostics({ registry: promClient.register })
   */
  registry?: MetricsRegistry
  /**
   * A logger with the methods of pino. Default: pino on standard output, or on standard error when preloaded.
   * @example
   * diagnostics({ logger: pino({ level: 'warn' }) })
   */
  logger?: Logger
}

/** Why the loop stalled: code ran, garbage collection, no CPU time available, the process was stopped, or not known: docs/stalls.md. */
export type Cause = 'code' | 'gc' | 'starved' | 'suspended' | 'unknown'

/** A location in code; file relative to the application, lines and columns from 1. */
export interface CodeFrame {
  function: string
  file: string
  line: number
  column: number
}

/** A package that the application called: where the application has no function on the stack, the outermost package that is not the framework. */
export interface CalledPackage {
  package: string
  /** The function of the package that was called. */
  function: string
  /** The dependency of that package in which the time was spent, and the function that was called there; null when the package spent the time itself. */
  through: { package: string, function: string } | null
}

/** `line` and `column` are those of the call that took the time, or of the hottest line; column 0 where only the line is known. */
export interface Culprit extends CodeFrame {
  /** The line on which the function begins. */
  functionLine: number
  /** The synchronous API or builtin at the bottom, e.g. 'pbkdf2Sync' or 'JSON.stringify'; null when JavaScript took the time. */
  call: string | null
  /**
   * The dependency that the application called and in which the time was spent; null when it was spent in the application's own code. Where no
   * function of the application was on the stack, the culprit is a function of a dependency: then it is set only when that spent the time in a dependency of its own.
   */
  via: CalledPackage | null
  /** Share of the stall's code time spent in this function, 0 to 1; where only stack probes identify it, its share of those: 1. */
  share: number
}

/** The figures that decided the cause; times in milliseconds, null where the system does not provide one. */
export interface StallEvidence {
  /**
   * CPU time of the thread whose loop stalled: the main thread, or the worker thread in which loopscope was started. Where `runQueueMs` is null, on
   * Node.js 20, that of the whole process.
   */
  cpuMs: number | null
  /** Time that the thread was ready to run but got no CPU; reported by Linux only. */
  runQueueMs: number | null
  /** Time that the cgroup's CPU quota stopped the process. */
  throttledMs: number | null
  /** How late the observer thread itself was, without being busy or waiting for a CPU. */
  observerLateMs: number | null
  /** Time by samples in JavaScript and native calls. */
  codeMs: number | null
  /** Time by samples in the garbage collector. */
  gcMs: number | null
}

/** Ids of a distributed trace: lower-case hexadecimal digits, as in W3C Trace Context. */
export interface Trace {
  /** 32 digits. */
  traceId: string
  /** 16 digits: the span of the request; the caller's, where only the header `traceparent` is known. */
  spanId: string
}

/** One stall of the event loop: docs/stalls.md. */
export interface Stall {
  /** Counts up from 1 in this process. */
  id: number
  /** When the stall began, in milliseconds since the epoch. */
  at: number
  /** How late the loop was, in milliseconds. */
  durationMs: number
  /** The stall began before the recorder had started, some tenths of a second after the process: cause and culprit describe the rest of it. */
  startingUp: boolean
  cause: Cause
  /** `METHOD /path/:template`; `METHOD _unmatched` for a request without a route, null outside requests. */
  route: string | null
  /** The trace of the stalled work: from OpenTelemetry's active span, else from the header `traceparent` of the request; null where there is neither. */
  trace: Trace | null
  /** The function that blocked; null where the samples do not show it. */
  culprit: Culprit | null
  /** The heaviest stack, innermost frame first. */
  stack: CodeFrame[]
  evidence: StallEvidence
}

export type CaptureKind = 'cpu' | 'heap-snapshot' | 'heap-profile' | 'heap-histogram'
/** What started a capture. */
export type Trigger = 'http' | 'signal' | 'stall' | 'rule' | 'api' | 'cli' | 'scrape'

/** File formats of artifacts; each kind has its own. */
export type ArtifactFormat = FormatName | 'heapsnapshot' | 'heapprofile' | 'json'

/** Options of `capture()`: docs/options.md#options-of-a-capture. */
export interface CaptureOptions {
  /** Record for this many seconds, above 0, at most 300. Heap profile: without it, everything since sampling began. */
  seconds?: number
  /** Look back this many seconds, above 0, at most 600; shortened to what is recorded. Default 30 when `seconds` is not given. */
  last?: number
  /** Default: the first format of the kind, 'cpuprofile' for 'cpu'. */
  format?: ArtifactFormat
  /** CPU or heap profile: locations in the original code, or in the code that runs. Default 'original' for 'flamegraph', 'text' and 'trace', else 'generated'. */
  sources?: 'original' | 'generated'
  /** CPU profile: only what ran for this route, as in 'POST /login'; the rest counts as idle. Rejects with ERR_LOOPSCOPE_UNKNOWN_ROUTE if nothing did. */
  route?: string
  /** CPU profile: with all worker threads, from now on; needs `seconds`, cannot be combined with `last` or `route`. Default false. */
  threads?: boolean
  /** Heap snapshot: what is removed from it. Default 'off' for `capture()` in code, else 'values'. */
  redact?: 'values' | 'strict' | 'off'
  /** Redacted heap snapshot: equal values stay recognizable as equal. Default false. */
  pseudonyms?: boolean
  /** Heap snapshot: take it even if memory may not suffice, or one was just taken. Default false. */
  force?: boolean
  /** Heap profile: what is still alive, or everything that was allocated, collected since or not. Default 'live'. */
  mode?: 'live' | 'all'
  /** Cancels the capture, which then rejects with ERR_LOOPSCOPE_CAPTURE_CANCELLED. */
  signal?: AbortSignal
}

/** Metadata of an artifact. */
export interface ArtifactFacts {
  kind: CaptureKind
  format: ArtifactFormat
  trigger: Trigger
  /** The file's name in the store. */
  name: string
  path: string
  bytes: number
  contentType: string
  /** Beginning of the time that the artifact covers, in milliseconds since the epoch. */
  from: number
  /** Its end, in milliseconds since the epoch. */
  to: number
  /** Set when the recorder held less than requested. */
  shortened: { wantedSeconds: number, gotSeconds: number } | null
  /** The marks within its time, oldest first, preceded by the last one before it. */
  marks: Mark[]
}

/** A file that a capture wrote. */
export interface Artifact extends ArtifactFacts {
  text (): Promise<string>
  stream (): ReadStream
}

/** A label for a point in time: a deployment, a feature switch, the beginning of a load test. */
export interface Mark {
  /** Milliseconds since the epoch. */
  at: number
  text: string
}

/** Event-loop delay since start, in milliseconds, without the heartbeat's own period. */
export interface DelaySummary {
  /** Ticks, including those that a late tick stands for. */
  count: number
  meanMs: number
  p50Ms: number
  p90Ms: number
  p99Ms: number
  /** Since start. */
  maxMs: number
  /** Maximum of the last 30 to 60 seconds. */
  recentMaxMs: number
  /** Share of the last 30 to 60 seconds in which the loop was busy, 0 to 1. */
  utilization: number
  /** Every iteration of the loop since start, by Node's per-iteration sampling; null where Node.js has none (before 24.16 and 26.5). */
  iterations: { count: number, p50Ms: number, p90Ms: number, p99Ms: number, maxMs: number } | null
}

/** What to do about a synchronous call. */
export interface Advice {
  why: string
  instead: string
  /** URL of the Node.js documentation. */
  link: string
}

/** A call site found by the recorder's samples. */
export interface SampledSyncCall {
  api: string
  /** The first function above the call that is not part of Node.js; line and column are those of the call where a stall has shown it, else where the function begins. */
  callSite: CodeFrame
  ms: number
  /** Share of the busy time, 0 to 1. */
  share: number
  /** By route; null for work outside requests or without a known route. */
  routes: { route: string | null, ms: number }[]
  /** Whether it exceeded 5 % of the time within the last windows. */
  flagged: boolean
  advice: Advice
}

/** A call site found by the exact detector. */
export interface ExactSyncCall {
  api: string
  /** The location of the call itself. */
  callSite: CodeFrame
  /** An estimate where an API is called more than about 100 times per second, from several sites; `totals` are exact. */
  calls: number
  /** Likewise; 0 for APIs that are only counted. */
  totalMs: number
  /** Of `calls` and `totalMs`; 0 where they are exact. */
  standardError: { calls: number, totalMs: number }
  maxMs: number
  routes: { route: string | null, calls: number, ms: number }[]
  flagged: boolean
  advice: Advice
}

/** Each list has the heaviest first: docs/sync-calls.md. */
export interface SyncCalls {
  sampled: SampledSyncCall[]
  /** All calls by API, counted one by one; `exact` divides them among call sites. null while option syncCalls is off. */
  totals: { api: string, calls: number, totalMs: number }[] | null
  /** null while option syncCalls is off. */
  exact: ExactSyncCall[] | null
  /** Calls made before the first server listened, or `armed` was set; null while option syncCalls is off. */
  startUp: { totalMs: number, sites: ExactSyncCall[] } | null
  /** libuv's thread pool: how often a task had to wait for a thread, and the longest wait in milliseconds. */
  pool: { queued: number, maxWaitMs: number }
}

/** How much of the heap is used after full collections, over time. */
export interface HeapTrend {
  /** 'unknown' until there are 8 collections over 5 minutes. */
  verdict: 'growing' | 'flat' | 'unknown'
  /** Number of collections it is based on. */
  points: number
  /** The time that they span. */
  minutes: number
  /** After the last collection, without the young generation. */
  usedBytes: number
  /** Limit of V8's old generation, which holds all long-lived objects. */
  limitBytes: number
  /** The median slope (Theil-Sen). */
  bytesPerMinute: number
  /** When the limit is reached at this rate; null unless the heap grows. */
  minutesToLimit: number | null
  /** The fastest growing space first. */
  spaces: { name: string, usedBytes: number, bytesPerMinute: number }[]
}

export interface HeapWatch {
  /**
   * How much of the heap is used after full collections, since watch().
   * @example
   * const { verdict, bytesPerMinute } = watch.trend()
   */
  trend (): HeapTrend
  /**
   * Ends it.
   * @example
   * watch.stop()
   */
  stop (): void
}

/** A cached clock: reading the time is one read from memory. docs/clock.md. */
export interface Clock {
  /** For createClock({ buffer }) in a worker thread. */
  readonly buffer: SharedArrayBuffer
  readonly running: boolean
  /** The longest time that the clock stood still within the last 30 to 60 s, in milliseconds. */
  readonly recentMaxStalenessMs: number
  /**
   * Renews the time from now on.
   * @example
   * clock.start()
   */
  start (): void
  /**
   * From here on now() reads the system time, as Date.now() does.
   * @example
   * clock.stop()
   */
  stop (): void
  /**
   * Whole milliseconds since the epoch. It goes back only when the system's clock is set back.
   * @example
   * const at = d.clock.now() // instead of Date.now()
   */
  now (): number
  /**
   * Whole seconds since the epoch.
   * @example
   * const expires = d.clock.seconds() + 60
   */
  seconds (): number
  /**
   * The time as a Date.
   * @example
   * response.setHeader('date', d.clock.date().toUTCString())
   */
  date (): Date
}

export interface ClockOptions {
  /**
   * How often the time is renewed, in milliseconds, 1 to 1000. Default 10.
   * @example
   * const clock = createClock({ resolutionMs: 1 })
   */
  resolutionMs?: number
  /**
   * The buffer of a clock in another thread, which this one then only reads.
   * @example
   * const clock = createClock({ buffer: workerData.clock })
   */
  buffer?: SharedArrayBuffer
}

export interface DiagnosticsHandle {
  /**
   * Between start and close().
   * @example
   * if (d.running) console.log(d.delay())
   */
  readonly running: boolean
  /**
   * The registry with the metrics: docs/metrics.md.
   * @example
   * app.get('/metrics', async (request, response) => response.end(await d.registry.metrics()))
   */
  readonly registry: Registry
  /**
   * Starts it; `diagnostics()` does so by itself.
   * @example
   * const d = createDiagnostics().start()
   */
  start (): this
  /**
   * Stops and releases everything: timers, listeners, threads. Idempotent.
   * @example
   * process.on('SIGTERM', async () => { await d.close() })
   */
  close (): Promise<void>
  /**
   * Writes a capture to the store, and keeps the process alive until it is done. Rejects with a code of docs/errors.md.
   * @example
   * const { path } = await d.capture('cpu', { last: 30, format: 'flamegraph' })
   */
  capture (kind: CaptureKind, options?: CaptureOptions): Promise<Artifact>
  /**
   * The last 200 stalls, newest first. Empty while loopscope does not run, and where it has no observer thread.
   * @example
   * const [latest] = await d.stalls()
   */
  stalls (): Promise<Stall[]>
  /**
   * The slowest requests of the last 15 minutes, at most 10 per route and 100 in all, slowest first: docs/slow-requests.md. Empty while loopscope
   * does not run, and where it has no observer thread.
   * @example
   * const [slowest] = await d.slowRequests()
   */
  slowRequests (): Promise<SlowRequest[]>
  /**
   * The requests and jobs under way, the 100 oldest, oldest first, and what each does or waits for: docs/requests.md. Rejects with
   * ERR_LOOPSCOPE_NOT_RUNNING while loopscope does not run.
   * @example
   * const { total, requests: [oldest] } = await d.requests()
   */
  requests (): Promise<RequestsInFlight>
  /**
   * Where requests and jobs wait: at which line of the code, for what, and what share of their time: docs/waits.md. Rejects with
   * ERR_LOOPSCOPE_NOT_RUNNING while loopscope does not run.
   * @example
   * const { routes: [slowest] } = await d.waits({ seconds: 10 })
   */
  waits (options?: WaitsOptions): Promise<Waits>
  /**
   * Who owns the memory of the process, what grows, and with `sites` or `seconds` which lines allocate what stays: docs/memory.md. null without an
   * observer thread, and before its first reading, in the first second. Rejects with ERR_LOOPSCOPE_NOT_RUNNING while loopscope does not run.
   * @example
   * const { owners, growing } = await d.memory()
   * const { sites } = await d.memory({ seconds: 60 })
   */
  memory (options?: MemoryOptions): Promise<ProcessMemory | null>
  /**
   * Runs work that is no HTTP request, such as a message of a queue, as a job: its stalls, samples, waits and slow runs are shown as `job <name>`
   * (docs/requests.md#jobs). Returns what `fn` returns; a promise settles as that of `fn` does, and errors pass through. While loopscope does not
   * run, it only calls `fn`. At most 100 names; further ones are `_other`.
   * @param name  1 to 100 printable characters
   * @example
   * worker.on('message', message => d.job('resize', () => resize(message)))
   */
  job<T> (name: string, fn: () => T): T
  /**
   * One ranked answer to "what is wrong with this process, and what do I change?", worst first: docs/findings.md. An answer takes one to two
   * seconds. Rejects with ERR_LOOPSCOPE_NOT_RUNNING while loopscope does not run, or with ERR_LOOPSCOPE_OBSERVER_LOST.
   * @example
   * const { findings: [worst] } = await d.findings()
   */
  findings (): Promise<Findings>
  /**
   * How long the requests of each route would take if one route did less on the event loop: docs/what-if.md. It takes one to two seconds. Rejects
   * with ERR_LOOPSCOPE_INVALID_OPTION, ERR_LOOPSCOPE_UNKNOWN_OPTION, ERR_LOOPSCOPE_NOT_RUNNING or ERR_LOOPSCOPE_OBSERVER_LOST.
   * @example
   * const { prediction } = await d.whatIf({ route: 'POST /login', scale: 0.25 })
   */
  whatIf (options: WhatIfOptions): Promise<WhatIf>
  /**
   * Marks this moment: in charts, beside captures, and for `loopscope diff --mark`. The last 100 marks are kept: docs/marks.md.
   * @param text 1 to 200 printable characters, else ERR_LOOPSCOPE_INVALID_OPTION is thrown; ERR_LOOPSCOPE_NOT_RUNNING while loopscope does not run
   * @example
   * d.mark('deploy 42')
   */
  mark (text: string): Mark
  /**
   * The last 100 marks, oldest first; including those from `loopscope mark` and HTTP. Empty while loopscope does not run, and where it has no
   * observer thread, which keeps them.
   * @example
   * const [first] = await d.marks()
   */
  marks (): Promise<Mark[]>
  /**
   * Event-loop delay since start. Throws ERR_LOOPSCOPE_NOT_RUNNING while loopscope does not run.
   * @example
   * const { p99Ms } = d.delay()
   */
  delay (): DelaySummary
  /**
   * Synchronous calls since start, up to now: the recorder's open window is ended and read, which takes some milliseconds; callers that ask more
   * often than four times per second wait for each other. Rejects with ERR_LOOPSCOPE_NOT_RUNNING while loopscope does not run. Without an observer
   * thread nothing is sampled.
   * @example
   * const { sampled: [heaviest] } = await d.syncCalls()
   */
  syncCalls (): Promise<SyncCalls>
  /**
   * Sets the route template of a request, where the framework does not provide it. Takes a request of node:http, Express or
   * Fastify, or a context of Koa or Hono. Never throws: an invalid value is ignored, with one warning.
   * @example
   * d.route(request, '/users/:id')
   */
  route (request: object, template: string): void
  /**
   * Whether the exact detector counts calls as the application's work; set by the first server that listens, or by assignment.
   * @example
   * d.armed = true // start-up is over
   */
  armed: boolean
  /**
   * The process's cached clock; it runs from its first use until close().
   * @example
   * const at = d.clock.now()
   */
  readonly clock: Clock
  readonly heap: {
    /**
     * Records how much of the heap is used after each full collection, from now on, until stop() or close().
     * @example
     * const watch = d.heap.watch()
     */
    watch (): HeapWatch
  }
}

/** The handle, which also emits each stall when it is over. */
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
