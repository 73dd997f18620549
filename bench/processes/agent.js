'use strict'

// An Express server that says hello under the agent that its first argument names; the agent sends to the port of the second.

const { createRequire } = require('node:module')
const path = require('node:path')
const { performance } = require('node:perf_hooks')

const [name, port] = process.argv.slice(2)
const sink = `http://127.0.0.1:${port}`
const requireAgent = createRequire(path.join(__dirname, '..', 'agents', 'package.json'))

/**
 * Before anything else is loaded, as each of them asks for.
 * @type {Record<string, () => void>}
 */
const PRELOADS = {
  'dd-trace': () => startDatadog(false),
  'dd-trace + profiler': () => startDatadog(true),
  'OpenTelemetry auto-instrumentations, 10 %' () {
    Object.assign(process.env, {
      OTEL_EXPORTER_OTLP_ENDPOINT: sink,
      OTEL_SERVICE_NAME: 'bench',
      OTEL_NODE_RESOURCE_DETECTORS: 'env,host',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.1',
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_LOGS_EXPORTER: 'none'
    })
    requireAgent('@opentelemetry/auto-instrumentations-node/register')
  },
  'elastic-apm-node, 10 %' () {
    requireAgent('elastic-apm-node').start({ serviceName: 'bench', serverUrl: sink, logLevel: 'off', transactionSampleRate: 0.1, cloudProvider: 'none' })
  },
  'Sentry, 10 % + profiling' () {
    const { nodeProfilingIntegration } = requireAgent('@sentry/profiling-node')
    requireAgent('@sentry/node').init({
      dsn: `http://key@127.0.0.1:${port}/1`,
      tracesSampleRate: 0.1,
      profileSessionSampleRate: 1,
      profileLifecycle: 'trace',
      integrations: [nodeProfilingIntegration()]
    })
  }
}

/** @param {boolean} profiling */
function startDatadog (profiling) {
  Object.assign(process.env, {
    DD_TRACE_AGENT_URL: sink,
    DD_INSTRUMENTATION_TELEMETRY_ENABLED: 'false',
    DD_REMOTE_CONFIGURATION_ENABLED: 'false',
    DD_SERVICE: 'bench',
    DD_TRACE_STARTUP_LOGS: 'false'
  })
  requireAgent('dd-trace').init({ profiling, runtimeMetrics: false, logInjection: false })
}

/** @type {Record<string, (app: import('express').Express) => void>} */
const MIDDLEWARE = {
  loopscope (app) { app.use(require('../..')()) },
  'loopscope, recorder: false' (app) { app.use(require('../..')({ recorder: false })) },
  'express-prom-bundle' (app) { app.use(require('express-prom-bundle')({ includeMethod: true, includePath: true })) }
}

PRELOADS[name]?.()
const { serveHello } = require('../harness/hello-server')

serveHello(app => MIDDLEWARE[name]?.(app), undefined, () => ({ name, ageMs: performance.now() }))
