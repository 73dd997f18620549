/* global loopscope */
'use strict'

// One flame graph at a time: of a stall, or of a stretch of the recorder's past.

loopscope.flame = (() => {
  const { byId, element, place } = loopscope.display
  const { treeOf, displayFor } = loopscope.frames
  const drawing = new loopscope.Drawing(byId('flame'), { showDetails: text => { byId('flame-detail').textContent = text } })

  /**
   * @param {string} title
   * @param {any} graph  as the routes give it
   * @param {any[]} [stack]  innermost first
   */
  function show (title, graph, stack = []) {
    byId('flame-panel').hidden = false
    byId('flame-title').textContent = title
    byId('flame-detail').textContent = ''
    byId('stack').replaceChildren(...stack.map(frame => element('li', {}, place(frame))))
    drawing.clear()
    const tree = graph === null ? null : treeOf(graph, false)
    if (tree === null || tree.value === 0) {
      byId('flame').append(element('p', { className: 'quiet' }, tree === null ? 'No profile of it is kept.' : 'The process did nothing but wait in this time.'))
    } else {
      drawing.draw(tree, displayFor('time', tree))
    }
    byId('flame-title').focus()
  }

  function close () {
    byId('flame-panel').hidden = true
    drawing.clear()
  }

  function start () {
    byId('flame-close').addEventListener('click', close)
    byId('flame-reset').addEventListener('click', () => drawing.resetZoom())
  }

  return { start, show }
})()
