/** A frame as V8 writes it: line and column count from 0; -1 where there is none. */
export interface CallFrame {
  functionName: string
  scriptId: string | number
  url: string
  lineNumber: number
  columnNumber: number
}

export interface ProfileNode {
  id: number
  callFrame: CallFrame
  hitCount?: number
  children?: number[]
  /** Lines (from 1) of the samples in which this node was the leaf. */
  positionTicks?: { line: number, ticks: number }[]
}

/** A `.cpuprofile`: times in microseconds of the monotonic clock. timeDeltas[0] counts from startTime. */
export interface CpuProfile {
  nodes: ProfileNode[]
  startTime: number
  endTime: number
  samples: number[]
  timeDeltas: number[]
  /** The route of each sample. An extension by loopscope, which other tools ignore. */
  routes?: SampleRoutes
  /** In a profile merged from several processes, or threads: the process or thread of each sample. An extension by loopscope, too. */
  processes?: SampleProcesses
  /** Lines at which functions were at work, from stalls and findings, with whole paths of files: reports of the file show them. An extension by loopscope, too. */
  workLines?: WorkLine[]
}

/** A label for each sample. */
export interface SampleLabels {
  /** The labels, without duplicates. */
  names: string[]
  /** For each sample an index into `names`; -1 for none. */
  samples: number[]
}

/** The names are `METHOD /path/:template`; -1: the sample ran outside requests, or its route is not known. */
export type SampleRoutes = SampleLabels

/** The names are pids, or other unique names of the processes. */
export interface SampleProcesses extends SampleLabels {
  /** Microseconds from the earliest start to the latest end. The merged profile itself is as long as the times of all processes together. */
  wallMicros: number
  /** Set where the names are not processes but threads of one process. */
  of?: 'thread'
}

/** The hottest line of a function. */
export interface WorkLine {
  function: string
  file: string
  /** The line on which the function begins. */
  functionLine: number
  line: number
  column: number
}

/** What a format shows about a profile in addition to its samples. */
export interface EncodeContext {
  /** Absolute path of the application; files below it are shown relative to it. */
  appRoot?: string
  /** A title: one line of text. */
  title?: string
  /** Milliseconds since the epoch of the profile's startTime. */
  startedAt?: number
  /** Notes about the capture, e.g. that it is shorter than requested. */
  notes?: string[]
  /** Hottest lines of functions, from stalls and findings: a function is shown with this line instead of the one on which it begins. */
  lines?: readonly WorkLine[]
  /** Additional sections of the text report. */
  sections?: { title: string, lines: string[] }[]
  /** What happened in the time of the profile besides its samples, for a trace. */
  events?: () => TraceEvents
}

/** A stretch of time in a trace. Times are of the clock of the profile, in microseconds. */
export interface TraceSpan {
  name: string
  fromMicros: number
  toMicros: number
  /** Shown when it is selected. */
  properties: [name: string, value: string][]
}

export interface TraceEvents {
  stalls: TraceSpan[]
  requests: TraceSpan[]
  collections: TraceSpan[]
  marks: { name: string, atMicros: number }[]
}

/** One encoding of a CPU profile. */
export interface Format {
  /** File name ending, without the leading dot. */
  extension: string
  contentType: string
  /** The default for locations in this format. */
  sources: Sources
  encode (profile: CpuProfile, context?: EncodeContext): Buffer
}

/** Locations in the original code, or in the code that runs: docs/source-maps.md. */
export type Sources = 'original' | 'generated'

export type FormatName = 'cpuprofile' | 'pprof' | 'flamegraph' | 'text' | 'trace'
