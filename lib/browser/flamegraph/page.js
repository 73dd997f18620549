/* global addEventListener, document, history, location, loopscope */
'use strict'

// The flame graph page: one graph, and whether it is shown by route in the address, so that a link shows what was looked at.

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
