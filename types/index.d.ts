import type * as api from './diagnostics'
import type * as errors from './errors'
import type * as findings from './findings'
import type * as memory from './memory'
import type * as profile from './profile'
import type * as requests from './requests'
import type * as rules from './rules'
import type * as slow from './slow-requests'
import type * as waits from './waits'
import type * as whatIf from './what-if'

/**
 * Starts loopscope and returns an Express / Connect middleware that is also the handle. Throws ERR_LOOPSCOPE_UNKNOWN_OPTION or
 * ERR_LOOPSCOPE_INVALID_OPTION.
 * @example
 * app.use(diagnostics()) // before the routes
 */
declare function diagnostics (options?: api.DiagnosticsOptions): api.DiagnosticsMiddleware

declare namespace diagnostics {
  /**
   * The same without a middleware, for queue workers and scripts, and where a framework owns the server: requests of every HTTP server in the process
   * are measured. Throws as `diagnostics()` does.
   * @example
   * const d = createDiagnostics().start()
   */
  export function createDiagnostics (options?: api.DiagnosticsOptions): api.Diagnostics
  /** A cached clock, renewed by the observer while loopscope runs, else by a timer of this thread that does not keep the process alive: docs/clock.md. */
  export function createClock (options?: api.ClockOptions): api.Clock
  export { diagnostics, diagnostics as default }

  export type Artifact = api.Artifact
  export type ArtifactFacts = api.ArtifactFacts
  export type CalledPackage = api.CalledPackage
  export type CaptureKind = api.CaptureKind
  export type CaptureOptions = api.CaptureOptions
  export type Cause = api.Cause
  export type CodeFrame = api.CodeFrame
  export type Culprit = api.Culprit
  export type DelaySummary = api.DelaySummary
  export type Diagnostics = api.Diagnostics
  export type DiagnosticsMiddleware = api.DiagnosticsMiddleware
  export type DiagnosticsOptions = api.DiagnosticsOptions
  export type EgressOptions = api.EgressOptions
  export type EngineName = api.EngineName
  export type Finding = findings.Finding
  export type FindingId = findings.FindingId
  export type FindingPlace = findings.FindingPlace
  export type Findings = findings.Findings
  export type Severity = findings.Severity
  export type FormatName = profile.FormatName
  export type Logger = api.Logger
  export type LoopscopeError = errors.LoopscopeError
  export type LoopscopeErrorCode = errors.LoopscopeErrorCode
  export type MetricsRegistry = api.MetricsRegistry
  export type RecorderOptions = api.RecorderOptions
  export type RetentionOptions = api.RetentionOptions
  export type Rule = rules.Rule
  export type RuleAction = rules.RuleAction
  export type RuleConditions = rules.RuleConditions
  export type RuleLimit = rules.RuleLimit
  export type SignalMap = api.SignalMap
  export type AllocationSite = memory.AllocationSite
  export type AllocationSites = memory.AllocationSites
  export type Growing = memory.Growing
  export type MemoryOptions = memory.MemoryOptions
  export type MemoryOwner = memory.MemoryOwner
  export type ProcessMemory = memory.ProcessMemory
  export type OpenCall = requests.OpenCall
  export type RequestInFlight = requests.RequestInFlight
  export type RequestsInFlight = requests.RequestsInFlight
  export type RequestWait = slow.RequestWait
  export type SlowRequest = slow.SlowRequest
  export type SlowRequestStep = slow.SlowRequestStep
  export type WaitedAt = waits.WaitedAt
  export type WaitPlace = waits.WaitPlace
  export type RouteWaits = waits.RouteWaits
  export type SerialWaits = waits.SerialWaits
  export type WaitLine = waits.WaitLine
  export type Waits = waits.Waits
  export type WaitsOptions = waits.WaitsOptions
  export type PredictedQuantile = whatIf.PredictedQuantile
  export type Prediction = whatIf.Prediction
  export type RoutePrediction = whatIf.RoutePrediction
  export type WhatIf = whatIf.WhatIf
  export type WhatIfOptions = whatIf.WhatIfOptions
  export type Mark = api.Mark
  export type Stall = api.Stall
  export type StallEvidence = api.StallEvidence
  export type Advice = api.Advice
  export type Clock = api.Clock
  export type HeapTrend = api.HeapTrend
  export type HeapWatch = api.HeapWatch
  export type ClockOptions = api.ClockOptions
  export type ExactSyncCall = api.ExactSyncCall
  export type SampledSyncCall = api.SampledSyncCall
  export type SyncCallOptions = api.SyncCallOptions
  export type SyncCalls = api.SyncCalls
  export type Trace = api.Trace
  export type Trigger = api.Trigger
}

export = diagnostics
