/** A frame as V8 writes it: line and column count from 0, -1 where there is none. */
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
  /** Which route each sample was taken in. Ours: V8 writes no such thing, and tools that do not know it pass it over. */
  routes?: SampleRoutes
  /** In a profile merged of several processes, or threads: which of them each sample is of. Ours, as the routes are. */
  processes?: SampleProcesses
}

/** What is known of each sample beside its stack. */
export interface SampleLabels {
  /** Each once. */
  names: string[]
  /** For each sample an index into names; -1 for none of them. */
  samples: number[]
}

/** The names are `METHOD /path/:template`; -1: the sample was taken in no request, or it is not known in which. */
export type SampleRoutes = SampleLabels

/** The names are pids, or what else tells the processes apart. */
export interface SampleProcesses extends SampleLabels {
  /** From the earliest start to the latest end. The merged profile itself is as long as the times of all processes together. */
  wallMicros: number
  /** What they are, where they are not processes: the threads of one. */
  of?: 'thread'
}

/** What a format may say about a profile beside its samples. */
export interface WorkLine {
  function: string
  file: string
  /** On which the function begins. */
  functionLine: number
  line: number
  column: number
}

export interface EncodeContext {
  /** Absolute path of the application; files below it are shown relative to it. */
  appRoot?: string
  /** One line for a person: what this is. */
  title?: string
  /** Milliseconds since the epoch of the profile's startTime. */
  startedAt?: number
  /** Lines for a person about the capture, e.g. that it is shorter than what was asked for. */
  notes?: string[]
  /** Where functions were at work, as stalls and findings know it: they are shown with this line and not that on which they begin. */
  lines?: readonly WorkLine[]
  /** What others found in the profile, for the text report. */
  sections?: { title: string, lines: string[] }[]
}

/** One encoding of a CPU profile. */
export interface Format {
  /** File name ending, without the leading dot. */
  extension: string
  contentType: string
  /** Whose places a profile in this format has, unless it is asked for otherwise. */
  sources: Sources
  encode (profile: CpuProfile, context?: EncodeContext): Buffer
}

/** The code as it was written, or as it runs: docs/source-maps.md. */
export type Sources = 'original' | 'generated'

export type FormatName = 'cpuprofile' | 'pprof' | 'flamegraph' | 'text'
