/* global addEventListener, document, history, location, loopscope */
'use strict'

// The page of one flame graph. The view by route is part of the address, so that a link opens the same view.

;(() => {
  const BY_ROUTE = '#by-route'
  const graph = JSON.parse(document.getElementById('graph').textContent)
  const main = document.querySelector('main')
  main.hidden = graph.nodes.every(([, , ...selves]) => selves.every(self => self === 0))
  if (main.hidden) return

  const flameGraph = new loopscope.FlameGraph(document.getElementById('flame'), {
    onRoutes: isByRoute => history.replaceState(null, '', isByRoute ? BY_ROUTE : location.href.split('#')[0])
  })
  const readAddress = () => flameGraph.showRoutes(location.hash === BY_ROUTE)
  readAddress()
  flameGraph.show(graph)
  addEventListener('hashchange', readAddress)
})()
