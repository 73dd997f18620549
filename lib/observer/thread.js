'use strict'

// The observer thread, from its start to its end: its parts, what it does with each message of the main thread, the parts that are loaded on first use,
// and how it ends. It parses, explains, encodes and writes, so that the main thread does not have to, and also when the main thread cannot.

const { Channel, readBy } = require('../link/channel')
const { TO_MAIN } = require('../link/messages')
const { SharedState } = require('../link/shared-state')
const { toPlain } = require('../base/errors')
const { monotonicMicros, toEpochMs } = require('../base/monotonic')
const { guarded, reportFault, setFaultListener, unattended } = require('../base/guard')
const { warnOnce } = require('../base/warnings')
const { CaptureParts } = require('./capture-parts')
const { CallCounts, readCounts } = require('./counts')
const { MainClient, createOwnWork } = require('../link/main-client')
const { Marks } = require('../shared/marks')
const { MemoryWatch } = require('./memory/memory-watch')
const { RecorderClient } = require('./recorder/recorder-client')
const { PERIOD_MS: THREAD_CPU_PERIOD_MS } = require('./recorder/thread-cpu')
const { Scheduler } = require('./stalls/scheduler')
const { workLinesOf } = require('../formats/profile/work-lines')
const { createSpareReading } = require('../source-maps/cpu-budget')
const { SourceMaps } = require('../source-maps/source-maps')
const { RequestsInFlight } = require('./requests/requests-in-flight')
const { SlowRequests } = require('./slow-requests/slow-requests')
const { TraceEventLog } = require('./trace-events')
const { createStallDetection } = require('./stalls/stall-detection')
const { PoolProbe, PoolWaits } = require('./sync-calls/pool-probe')
const { SampledCalls } = require('./sync-calls/sampled-calls')
const { readWaits, WaitProfile } = require('./waits/wait-profile')
const { RequestHistory } = require('./what-if/request-history')
const { WindowReading } = require('./window-reading')

/** @import { Logger } from '../../types/diagnostics' */
/** @import { Envelope, Handlers } from '../link/channel' */
/** @import { ObserverReadings, ObserverSettings, ToMain, ToObserver } from '../link/messages' */

/** @typedef {import('node:worker_threads').MessagePort} MessagePort */

const MAPS_ANSWER_MS = 2000 // a busy main thread answers between two stalls; callers wait no longer than they want
const MAX_BLOCKED_MS = 1000 // longer, and it will hardly answer
const MAX_LAST_WINDOW_MS = 100 // half of the time that the main thread waits for the session to close

class ObserverThread {
  #settings
  #state
  /** @type {Channel<ToMain, ToObserver>} */
  #channel
  #scheduler
  #recorder
  #sourceMaps
  #stalls
  #calls = new CallCounts()
  #slowRequests
  /** @type {WaitProfile} */
  #waitProfile
  #requestsInFlight
  #requestHistory = new RequestHistory()
  #sampledCalls
  /** @type {WindowReading} */
  #windowReading
  #poolProbe
  #poolWaits
  /** Loaded with the first clock. @type {import('../shared/clock').ClockRenewer | undefined} */
  #clockRenewer
  #marks = new Marks()
  #traceEvents = new TraceEventLog({ stalls: () => this.#stalls.records.list(), marks: () => this.#marks.list() })
  #main
  #memory
  /** Unless the option is off. @type {import('./memory/limit-watch').MemoryLimitWatch | undefined} */
  #memoryLimit
  /** Loaded when it is first armed. @type {import('./memory/sites/site-watch').SiteWatch | undefined} */
  #allocationSites
  #captureParts
  /** Loaded with the first application that has one. @type {import('./admin/admin').Admin | undefined} */
  #admin
  /** Loaded if the option is set. @type {import('./egress/egress').Egress | undefined} */
  #egress
  /** @type {Logger | undefined} */
  #logger

  /**
   * @param {(envelope: Envelope) => void} post  sends to the main thread
   * @param {ObserverSettings} settings
   */
  constructor (post, settings) {
    const blockedMs = () => this.#stalls.series.blockedMs()
    const workLines = () => workLinesOf(this.#stalls.records.list())
    /** @type {Logger['warn']} */
    const warn = (fields, message) => this.#main.log(null).warn(fields, message)
    this.#settings = settings
    this.#channel = new Channel({ post, sends: TO_MAIN, handlers: this.#handlers() })
    this.#state = new SharedState(settings.state)
    this.#scheduler = new Scheduler(settings)
    this.#recorder = new RecorderClient({
      settings,
      state: this.#state,
      readCpuMs: () => this.#scheduler.readCpuMs(),
      askToRotate: () => this.#channel.tell('rotate', {}),
      onWindow: window => this.#windowReading.addWindow(window),
      label: profile => this.#windowReading.label(profile),
      onAway: isAway => {
        if (isAway) this.#captureParts.onSessionClosed()
        this.#channel.tell('session', { isAway })
      }
    })
    this.#sourceMaps = new SourceMaps({
      isOn: settings.sourceMaps,
      appRoot: settings.appRoot,
      observerFile: settings.observerFile,
      onProblem: problem => warnOnce(this.#main.log(null), 'LOOPSCOPE_WARN_SOURCE_MAP', problem),
      ...createSpareReading({ isShort: () => this.#stalls.isShort(), onTaken: ms => { this.#state.sourceMapsMs = ms } }),
      // A main thread that is blocked for long cannot answer: the next caller asks it again.
      askProcess: async urls => blockedMs() > MAX_BLOCKED_MS ? [] : this.#main.read('scriptMaps', { urls }, MAPS_ANSWER_MS),
      onLearned: () => this.#stalls.learned().catch(reportFault)
    })
    this.#stalls = createStallDetection({
      settings,
      state: this.#state,
      scheduler: this.#scheduler,
      recorder: this.#recorder,
      sourceMaps: this.#sourceMaps,
      routesOf: nodes => this.#windowReading.routesOf(nodes),
      logNow: this.#logNow
    })
    this.#slowRequests = new SlowRequests({
      hz: settings.hz,
      nameOf: number => this.#calls.nameOf(number),
      waitedAt: startMicros => this.#waitProfile.linesOf(startMicros)
    })
    this.#waitProfile = new WaitProfile({ appRoot: settings.appRoot, sourceMaps: this.#sourceMaps, slowRequests: this.#slowRequests })
    this.#sampledCalls = new SampledCalls({ ...settings, sourceMaps: this.#sourceMaps, workLines, warn })
    this.#windowReading = new WindowReading({
      state: this.#state,
      recorder: () => this.#recorder,
      sampledCalls: this.#sampledCalls,
      slowRequests: this.#slowRequests,
      waitProfile: this.#waitProfile
    })
    this.#poolWaits = new PoolWaits({ ...settings, warn })
    this.#poolProbe = new PoolProbe({ onQueued: waitedMs => this.#poolWaits.note(waitedMs), interval: this.#stalls.interval })
    this.#main = new MainClient({ channel: this.#channel })
    this.#requestsInFlight = new RequestsInFlight({
      recorder: this.#recorder,
      main: this.#main,
      blockedMs,
      describeProbe: stack => this.#stalls.describeProbe(stack)
    })
    this.#memory = new MemoryWatch({
      sites: this.#sites,
      state: this.#state,
      main: this.#main,
      blockedMs,
      recorder: this.#recorder,
      interval: this.#stalls.interval
    })
    this.#captureParts = new CaptureParts({
      views: this.#recorder.views(),
      sourceMaps: this.#sourceMaps,
      main: this.#main,
      ownWork: createOwnWork({ post: this.#recorder.post, expression: settings.ownWorkExpression }),
      reportSections: this.#reportSections,
      workLines,
      marks: this.#marks
    })
  }

  async begin () {
    unattended(this.#releaseOnRequest())
    this.#stalls.start()
    const sessionError = await this.#recorder.open()
    unattended(this.#recorder.disconnectOnPause(() => this.#state.tickMicros === 0)) // before the first tick nothing seems stuck
    this.#poolProbe.start()
    this.#memory.start()
    if (this.#settings.hz !== 0) this.#stalls.interval(THREAD_CPU_PERIOD_MS, this.#recorder.threadCpu.note)
    this.#channel.tell('ready', { sessionError })
  }

  /** @param {Envelope} envelope */
  receive (envelope) {
    return this.#channel.receive(envelope)
  }

  /** @param {unknown} error */
  report = error => this.#channel.tell('fault', { error: toPlain(error) })

  /** @returns {Handlers<ToObserver>} */
  #handlers () {
    return {
      recording: ({ on, reason }) => this.#recorder.setRecording(on, reason),
      window: ({ window }) => this.#recorder.addWindow(window),
      inspectorUrl: ({ url }) => this.#recorder.setInspectorUrl(url),
      requestNotes: ({ notes }) => {
        this.#calls.add(notes.calls)
        this.#slowRequests.addNotes(notes)
        this.#traceEvents.addNotes(notes)
        this.#waitProfile.add(notes.awaits)
        this.#requestsInFlight.addNotes(notes)
        this.#requestHistory.add(notes.log)
        this.#windowReading.addNotes(notes)
      },
      speedUp: () => {
        this.#stalls.speedUp()
        this.#windowReading.speedUp()
      },
      stall: ({ measured, subject }) => this.#stalls.report(measured, subject),
      stallSubject: ({ id, subject }) => this.#stalls.subjects.set(id, subject),
      explainNow: () => this.#stalls.explainNow(),
      readObserver: readBy(this.#readers()),
      keepMark: ({ mark }) => this.#marks.add(mark),
      capture: ({ order }, signal) => this.#captureParts.run(order, { signal }),
      captureSkipped: ({ kind, trigger }) => this.#captureParts.counts.count(kind, trigger, 'skipped'),
      prepareStore: ({ location }) => this.#captureParts.storeAt(location).prepare(),
      watchLimit: ({ order }) => this.#watchLimit(order),
      watchMemory: async ({ order }) => this.#watchMemory(order),
      openEgress: async ({ order }) => this.#openEgress(order),
      renewClock: ({ clock, renewal }) => {
        if (renewal === null) return this.#clockRenewer?.release(clock)
        this.#loggerNow() // loading it takes longer than a clock may stand still
        this.#clockRenewer ??= new (require('../shared/clock').ClockRenewer)()
        this.#clockRenewer.keep(clock, renewal)
      },
      openApplication: ({ application }) => this.#adminSurface().open(application),
      closeApplication: ({ application, metrics }) => this.#adminSurface().close(application, metrics),
      request: (request, signal) => this.#adminSurface().relay.request(request, signal),
      chunk: message => this.#adminSurface().relay.chunk(message),
      stop: () => this.#stop()
    }
  }

  /** @returns {Handlers<ObserverReadings>} */
  #readers () {
    return {
      stalls: () => this.#stalls.records.list(),
      slowRequests: () => this.#slowRequests.list(),
      requests: () => this.#requestsInFlight.read(),
      counts: () => readCounts({
        stalls: this.#stalls.records,
        calls: this.#calls,
        sampledCalls: this.#sampledCalls,
        poolWaits: this.#poolWaits,
        captures: this.#captureParts.counts,
        memory: this.#memory,
        admin: this.#adminSurface(),
        egress: this.#egress
      }),
      findings: ({ application }) => this.#adminSurface().findings(application),
      whatIf: ({ application, wanted }) => this.#adminSurface().whatIf(application, wanted),
      originalFrames: ({ frames }) => this.#sourceMaps.framesIfKnown(frames),
      debuggerStatus: ({ url }) => this.#recorder.detectDebugger(url),
      syncCalls: async () => {
        await this.#windowReading.readNow()
        return { sampled: this.#sampledCalls.read(), pool: this.#poolWaits.counts() }
      },
      waits: wanted => readWaits({ main: this.#main, windowReading: this.#windowReading, waitProfile: this.#waitProfile }, wanted),
      ownMemory: wanted => this.#memory.readWithSites(wanted),
      marks: () => this.#marks.list()
    }
  }

  #sites = {
    noteGrowing: (/** @type {import('../../types/memory').Growing[]} */ growing) => { if (growing.length > 0) this.#siteWatch().noteGrowing(growing) },
    /** @type {import('./memory/sites/site-watch').SiteWatch['noteGrowingFast']} */
    noteGrowingFast: (growing, goesOn) => { if (growing.length > 0) this.#siteWatch().noteGrowingFast(growing, goesOn) },
    current: () => this.#allocationSites?.current() ?? null,
    /** @type {import('./memory/sites/site-watch').SiteWatch['arm']} */
    arm: (wanted, signal) => this.#siteWatch().arm(wanted, signal)
  }

  #siteWatch () {
    const { SiteWatch } = require('./memory/sites/site-watch')
    this.#allocationSites ??= new SiteWatch({
      sampler: () => this.#captureParts.sampler,
      main: this.#main,
      buffersBytes: () => this.#state.notedMemory?.buffersBytes ?? null,
      heapBytes: () => this.#state.notedMemory?.heapUsedBytes ?? 0,
      hasSession: () => this.#recorder.hasSession,
      routesOf: nodes => this.#windowReading.routesOf(nodes),
      handlersOf: route => this.#windowReading.handlersOf(route),
      threadSessions: this.#recorder.threadSessions,
      toOriginal: frames => this.#sourceMaps.frames(frames),
      appRoot: this.#settings.appRoot
    })
    return this.#allocationSites
  }

  /** The report's code is loaded with the first one. @type {typeof import('./report-sections').reportSections} */
  #reportSections = (profile, ...rest) => ({
    ...require('./report-sections').reportSections(profile, ...rest),
    events: () => this.#traceEvents.of(profile)
  })

  /** @param {import('./heap/near-limit').LimitOrder} order */
  #watchLimit (order) {
    return require('./heap/near-limit').watchLimit(order, {
      store: this.#captureParts.storeAt(order.location),
      post: this.#recorder.post,
      sampler: this.#captureParts.sampler,
      logNow: this.#logNow,
      report: this.report,
      onWritten: artifact => this.#egress?.push(artifact, { isUrgent: true })
    })
  }

  /** @param {import('./memory/limit-watch').MemoryLimitOrder} order */
  #watchMemory (order) {
    if (this.#memoryLimit !== undefined) return
    const { MemoryLimitWatch } = require('./memory/limit-watch')
    const store = this.#captureParts.storeAt(order.location)
    /** @type {import('./memory/memory-report').MemoryReporter | undefined} */
    let reporter
    const reporterNow = () => {
      const { MemoryReporter } = require('./memory/memory-report')
      reporter ??= new MemoryReporter(order, {
        memory: this.#memory,
        store,
        blockedMs: () => this.#stalls.series.blockedMs(),
        findings: () => this.#admin?.firstFindings(),
        heapUsage: async () => this.#recorder.hasSession ? this.#recorder.post('Runtime.getHeapUsage') : null,
        requests: () => this.#requestsInFlight.read(),
        heapProfile: () => this.#captureParts.sampler.readRunning(),
        sites: async () => this.#sites.current() ?? undefined,
        send: artifact => this.#egress?.push(artifact, { isUrgent: true }),
        logNow: this.#logNow
      })
      return reporter
    }
    this.#memoryLimit = new MemoryLimitWatch(order, {
      state: this.#state,
      recorder: this.#recorder,
      interval: this.#stalls.interval,
      prepare: how => reporterNow().prepare(how),
      report: limit => reporterNow().report(limit),
      fills: fullInMs => this.#siteWatch().noteFilling(fullInMs)
    })
    this.#memoryLimit.start()
    const startedAt = toEpochMs(monotonicMicros()) - process.uptime() * 1e3
    this.#memory.setPrevious(() => require('./memory/memory-report').readPreviousReport(store, startedAt, order.entry))
  }

  /** @param {import('./egress/egress').EgressOrder} order */
  #openEgress (order) {
    const { Egress } = require('./egress/egress')
    this.#egress ??= new Egress({
      order,
      store: this.#captureParts.storeAt(order.location),
      recorder: this.#recorder,
      sourceMaps: this.#sourceMaps,
      lasting: this.#stalls.lasting,
      log: this.#main.log(null)
    })
    this.#egress.start()
  }

  #adminSurface () {
    if (this.#admin !== undefined) return this.#admin
    const { Admin } = require('./admin/admin')
    this.#admin = new Admin({
      settings: this.#settings,
      calls: this.#calls,
      main: this.#main,
      stalls: this.#stalls,
      logNow: this.#logNow,
      marks: this.#marks,
      memory: this.#memory,
      allocationSites: this.#sites,
      recorder: this.#recorder,
      windowReading: this.#windowReading,
      sampledCalls: this.#sampledCalls,
      slowRequests: this.#slowRequests,
      waitProfile: this.#waitProfile,
      requestsInFlight: this.#requestsInFlight,
      requestHistory: this.#requestHistory,
      scheduler: this.#scheduler,
      poolWaits: this.#poolWaits,
      sourceMaps: this.#sourceMaps,
      captures: this.#captureParts,
      egress: () => this.#egress,
      reportSections: this.#reportSections,
      channel: this.#channel
    })
    return this.#admin
  }

  /**
   * Logs from this thread: the main thread's logger cannot write while it is stuck, but standard error can be written from here.
   * @param {object} fields
   * @param {string} message
   */
  #logNow = (fields, message) => this.#loggerNow().warn(fields, message)

  #loggerNow () {
    const { makeLogger, STANDARD_ERROR } = require('../shared/default-logger')
    this.#logger ??= makeLogger({ fd: STANDARD_ERROR, isSync: true })
    return this.#logger
  }

  /**
   * Handles the end of the process. The main thread has ended the last window, if that must be kept, and waits a short time: first until the
   * session is closed, then until unsent data is on disk. This can happen several times: a main thread that is about to end may continue after
   * all.
   */
  async #releaseOnRequest () {
    for (;;) {
      await this.#state.releaseRequested()
      const toMicros = this.#state.keepMicros
      if (toMicros > 0) await this.#recorder.history.waitFor(toMicros, MAX_LAST_WINDOW_MS) // the window comes through the session
      this.#recorder.disconnect()
      this.#state.confirmReleased() // also if there is no session any more
      if (toMicros > 0) unattended(this.#keepLast(toMicros))
    }
  }

  /** @param {number} toMicros */
  async #keepLast (toMicros) {
    try {
      await this.#egress?.keepLast(toMicros)
    } finally {
      this.#state.confirmKept()
    }
  }

  async #stop () {
    try {
      await this.#egress?.end(this.#state.keepMicros).catch(this.report)
      this.#recorder.close()
      await this.#admin?.closeAll()
      this.#scheduler.close()
    } finally {
      process.exit() // of this thread only: captures and explanations in progress wait on timers, up to five minutes
    }
  }
}

/** @param {MessagePort} port @param {ObserverSettings} settings */
function startObserver (port, settings) {
  const thread = new ObserverThread(envelope => port.postMessage(envelope), settings)
  setFaultListener(thread.report)
  port.on('message', guarded(envelope => thread.receive(envelope)))
  unattended(thread.begin())
}

module.exports = { startObserver }
