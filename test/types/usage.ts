// What applications write, and what the compiler has to refuse; checked by `npm run types`, never run.

import express = require('express')
import { createServer } from 'node:http'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import diagnostics = require('../../types/index')
import { createClock, createDiagnostics } from '../../types/index'
import type { Artifact, CaptureOptions, DelaySummary, Diagnostics, Findings, LoopscopeError, Stall, SyncCalls } from '../../types/index'

const d = diagnostics({
  appName: 'shop',
  stallThresholdMs: 200,
  heartbeatMs: 50,
  recorder: { hz: 50, windowSeconds: 10, keepSeconds: 120, engine: 'v8-profiler-next' },
  dir: '/var/lib/shop',
  retention: { maxCount: 5, maxBytes: 1e9, maxAgeMs: 3_600_000, minFreeBytes: 0 },
  signals: { SIGUSR2: 'cpu' },
  syncCalls: { apis: ['crypto.*', 'fs.readFileSync'], thresholdMs: 2, flagMsPerSecond: 20, flagCallsPerSecond: 5000 },
  registry: new Registry(),
  logger: pino()
})

express().use(d)
createServer((request, response) => d(request, response, () => response.end()))

// The same function by its other names.
diagnostics.diagnostics()
diagnostics.default({ recorder: false, signals: false })

async function capture (): Promise<string> {
  const options: CaptureOptions = { last: 30, seconds: 10, format: 'pprof', signal: AbortSignal.timeout(60_000) }
  const artifact: Artifact = await d.capture('cpu', options)
  artifact.stream().pipe(process.stdout)
  return `${artifact.path} ${artifact.bytes} ${artifact.shortened?.gotSeconds} ${await artifact.text()}`
}

function describe ({ at, durationMs, cause, route, trace, culprit, stack, evidence }: Stall): string {
  const where = culprit === null ? stack[0]?.file : `${culprit.function} ${culprit.file}:${culprit.line} ${culprit.call ?? ''}`
  return `${new Date(at).toISOString()} ${durationMs} ${cause} ${route ?? ''} ${trace?.traceId ?? ''} ${where} ${evidence.cpuMs ?? ''}`
}

export async function worker (): Promise<void> {
  const handle: Diagnostics = createDiagnostics().start()
  handle.on('stall', stall => { describe(stall) }).once('stall', describe).off('stall', describe)
  const { p99Ms, iterations }: DelaySummary = handle.delay()
  console.log(p99Ms, iterations?.p99Ms, (await handle.stalls()).map(describe), await handle.registry.metrics(), handle.running)
  await capture().catch((error: LoopscopeError) => {
    if (error.code === 'ERR_LOOPSCOPE_STORE_FULL') throw error
    // @ts-expect-error no such code
    if (error.code === 'ERR_LOOPSCOPE_TIRED') throw error
  })
  const [slowest] = await handle.slowRequests()
  console.log(slowest?.behind.map(({ route, ms }) => `${route} ${ms}`))
  const { total, running, requests: [oldest] } = await handle.requests()
  console.log(total, running?.culprit?.function, oldest?.waits.map(({ target, ms }) => `${target} ${ms}`))
  const { sampled, routes } = await handle.waits({ seconds: 0.5, route: 'GET /' })
  console.log(sampled, routes.flatMap(({ route, lines }) => lines.map(({ line, awaited, share }) => `${route} ${line} ${awaited} ${share}`)))
  // @ts-expect-error no such option
  await handle.waits({ last: 5 })
  const five: number = handle.job('count', () => 5)
  const six: Promise<number> = handle.job('count', async () => five + 1)
  console.log(await six)
  await handle.close()
}

export async function whatIsWrong (): Promise<number | undefined> {
  const { findings: [worst], figures }: Findings = await d.findings()
  return worst?.id === 'hot-sync-call' ? worst.where?.line : figures.utilization ?? 0
}

export async function hotPaths (): Promise<string> {
  const { sampled, exact, startUp, pool }: SyncCalls = await d.syncCalls()
  d.armed = true
  d.route({}, '/users/:id')
  const watch: diagnostics.HeapWatch = d.heap.watch()
  const trend: diagnostics.HeapTrend = watch.trend()
  if (trend.verdict === 'growing') d.registry.clear()
  watch.stop()
  const shared = createClock({ buffer: d.clock.buffer })
  const seen = sampled.map(({ api, callSite, share, routes, advice }) => `${api} ${callSite.file}:${callSite.line} ${share} ${routes[0]?.route ?? ''} ${advice.instead}`)
  return `${seen} ${exact?.[0]?.calls} ${startUp?.totalMs} ${pool.queued} ${shared.now() + shared.seconds()} ${createClock({ resolutionMs: 5 }).date().getTime()}`
}

export function mistakes (): void {
  // @ts-expect-error no such option
  diagnostics({ stallTresholdMs: 100 })
  // @ts-expect-error a number
  diagnostics({ stallThresholdMs: '100' })
  // @ts-expect-error no such engine
  diagnostics({ recorder: { engine: 'perf' } })
  // @ts-expect-error a list
  diagnostics({ syncCalls: { apis: 'fs.*' } })
  // @ts-expect-error only read
  d.clock = createClock()
  // @ts-expect-error no such signal
  diagnostics({ signals: { SIGUSR3: 'cpu' } })
  // @ts-expect-error no such kind
  diagnostics({ signals: { SIGUSR2: 'heap' } })
  // @ts-expect-error a logger needs its methods
  diagnostics({ logger: { info () {} } })
  // @ts-expect-error no such kind
  d.capture('heap')
  // @ts-expect-error no such format
  d.capture('cpu', { format: 'svg' })
  // @ts-expect-error no such event
  d.on('stalled', () => {})
  // @ts-expect-error the registry is given once
  d.registry = new Registry()
  // @ts-expect-error a handle without HTTP is no middleware
  express().use(createDiagnostics())
}
