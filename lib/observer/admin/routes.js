'use strict'

// The table of routes. A new one is a row in a file of routes/, which are one a family, and one test.

/** @import { RouteRow } from './router' */

/**
 * State that routes share (captures under way, clients that listen) belongs to one application.
 * @returns {RouteRow[]}
 */
function createRoutes () {
  const routes = [
    ...require('./routes/findings').routes,
    ...require('./routes/metrics').routes,
    ...require('./routes/readings').routes,
    ...require('./routes/marks').routes,
    ...require('./routes/cpu').routes,
    ...require('./routes/pprof').routes,
    ...require('./routes/captures').createCaptureRoutes(),
    ...require('./routes/artifacts').routes,
    ...require('./routes/heap').routes,
    ...require('./routes/heap-profile').routes,
    ...require('./routes/group-captures').createGroupCaptureRoutes(),
    ...require('./routes/group-profiles').createGroupProfileRoutes(),
    ...require('./routes/report').createReportRoutes(),
    ...require('./routes/live').createLiveRoutes(),
    ...require('./routes/group').createGroupRoutes()
  ]
  return [require('./routes/index-page').createIndexRoute(routes), ...routes]
}

module.exports = { createRoutes }
