'use strict'

// What records each kind of capture (shared/captures/kinds.js), and what it is given to do so.

const { recordCpu } = require('./cpu')
const { recordHeapHistogram } = require('./heap-histogram')
const { recordHeapProfile } = require('./heap-profile')
const { recordHeapSnapshot } = require('./heap-snapshot')

/** @import { ArtifactFacts, CaptureKind, Trigger } from '../../../types/diagnostics' */
/** @import { CpuProfile, EncodeContext } from '../../../types/profile' */
/** @import { HeapHistogram } from '../../shared/formats/heap-histogram' */
/** @import { HeapProfile } from '../../shared/formats/heap-profile' */
/** @import { CaptureRequest } from '../../shared/captures/kinds' */
/** @import { View } from '../recorder/views' */
/** @import { SourceMaps } from '../../shared/source-maps/source-maps' */
/** @import { Store } from './captures' */

/** @typedef {import('../heap/sampler').HeapSampler} HeapSampler */

/**
 * @typedef {object} CaptureSources  what is recorded from
 * @property {{ view (wanted: { fromMicros: number, toMicros: number, threads?: boolean }, signal?: AbortSignal, stop?: AbortSignal): Promise<View> }} views
 * @property {Pick<SourceMaps, 'profile' | 'heapSampling'>} sourceMaps
 * @property {{ take (order: any, tools: any): Promise<{ name: string, path: string, bytes: number, metadata: any }> }} snapshots
 * @property {Pick<HeapSampler, 'sample'>} heapSampler
 * @property {{ take (signal?: AbortSignal): Promise<HeapHistogram> }} heapHistogram
 *
 * @typedef {object} Tools  of one capture
 * @property {CaptureSources} sources
 * @property {Store} store
 * @property {string} appName
 * @property {Trigger} trigger
 * @property {{ engine: 'built-in' | 'heapdump', maxPauseMs: number }} heap  options
 * @property {boolean} wantsHot  what was hot in a CPU profile is told beside it
 * @property {AbortSignal} signal  cancels it
 * @property {AbortSignal} [stop]  ends the recording early, and keeps what there is
 * @property {(progress: { stage: string, bytes?: number }) => void} onProgress
 * @property {Pick<EncodeContext, 'appRoot' | 'title' | 'lines'>} context
 * @property {Pick<ReturnType<typeof import('../../shared/marks/marks').createMarks>, 'around'>} marks  of the process
 * @property {(profile: CpuProfile) => Pick<EncodeContext, 'sections' | 'lines'>} reportSections
 *   what a text report says of a profile besides its functions
 *
 * @typedef {{ extension: string, contentType: string } & Pick<ArtifactFacts, 'from' | 'to' | 'shortened'> & { hot?: string[], heapProfile?: HeapProfile }} ProductFacts
 * @typedef {ProductFacts & ({ bytes: Buffer } | { stored: { name: string, path: string, bytes: number } })} Product
 *   either bytes for the store, or what is in the store already because it was made there
 */

/** @type {Readonly<Record<CaptureKind, (request: CaptureRequest, tools: Tools) => Promise<Product>>>} */
const RECORDERS = Object.freeze({
  cpu: recordCpu,
  'heap-snapshot': recordHeapSnapshot,
  'heap-profile': recordHeapProfile,
  'heap-histogram': recordHeapHistogram
})

module.exports = { RECORDERS }
