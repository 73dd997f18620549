/* global document, loopscope */
'use strict'

// The flame graphs of a benchmark comparison: shows one at a time, with a button for each.

;(() => {
  const graphs = JSON.parse(document.getElementById('graphs').textContent)
  if (graphs.length === 0) return

  document.getElementById('flames').hidden = false
  const flameGraph = new loopscope.FlameGraph(document.getElementById('flame'))
  const buttons = graphs.map(({ name, graph }) => {
    const button = loopscope.element('button', { type: 'button' }, name)
    button.addEventListener('click', () => choose(button, graph))
    return button
  })

  function choose (chosen, graph) {
    for (const button of buttons) button.setAttribute('aria-pressed', String(button === chosen))
    flameGraph.show(graph)
  }

  document.getElementById('choice').append(...buttons)
  choose(buttons[0], graphs[0].graph)
})()
