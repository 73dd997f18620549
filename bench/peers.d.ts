// Packages that are only measured beside, most of them without types: the bench is checked where they are not installed, too.

declare module '@datadog/pprof'
declare module '@memlab/heap-analysis'
declare module '@pyroscope/nodejs'
declare module 'autocannon'
declare module 'blocked-at'
declare module 'express-prom-bundle'
declare module 'ioredis'
declare module 'toobusy-js'
declare module 'v8-profiler-next'
declare module 'vega'
declare module 'vega-lite'
