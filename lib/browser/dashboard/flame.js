/* global ResizeObserver, d3, flamegraph, loopscope, matchMedia */
'use strict'

// One flame graph at a time: of a stall, or of a stretch of the recorder's past.

loopscope.flame = (() => {
  const { byId, duration, element, place } = loopscope.display
  const FRAME_HEIGHT_PX = 22
  const MIN_FRAME_PX = 1
  const ANIMATION_MS = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 200
  let chart
  let total = 0

  function treeOf ({ frames, nodes }) {
    const made = nodes.map(([, frame, totalMicros, selfMicros]) => {
      const [name, at, kind] = frames[frame]
      return { name: kind === 'all' ? 'all' : name, place: at, kind, value: totalMicros, self: selfMicros, children: [] }
    })
    nodes.forEach(([parent], index) => {
      if (parent === -1) return
      if (made[index].kind === 'idle') made[parent].value -= made[index].value
      else made[parent].children.push(made[index])
    })
    return made[0]
  }

  function describe ({ name, place: at, value, self }) {
    const share = micros => `${(total > 0 ? 100 * micros / total : 0).toFixed(1)} %`
    return `${name} ${at} · ${duration(value / 1000)} (${share(value)}), itself ${duration(self / 1000)} (${share(self)})`
  }

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
    chart?.destroy()
    byId('flame').replaceChildren()
    const tree = graph === null ? null : treeOf(graph)
    total = tree?.value ?? 0
    if (total === 0) byId('flame').append(element('p', { className: 'quiet' }, graph === null ? 'No profile of it is kept.' : 'The process did nothing but wait in this time.'))
    else draw(tree)
    byId('flame-title').focus()
  }

  function draw (tree) {
    chart = flamegraph.default()
      .width(byId('flame').clientWidth)
      .cellHeight(FRAME_HEIGHT_PX)
      .minFrameSize(MIN_FRAME_PX)
      .inverted(true)
      .transitionDuration(ANIMATION_MS)
      .getName(({ data }) => `${data.name} ${data.place}`)
      .setColorMapper(({ data }) => `var(--${data.kind})`)
      .setLabelHandler(({ data }) => describe(data))
      .setDetailsHandler(text => { byId('flame-detail').textContent = text ?? '' })
      .tooltip(false)
      .onClick(() => prepare())
    d3.select(byId('flame')).datum(tree).call(chart)
    prepare()
  }

  /** Frames come and go as the graph is zoomed; these are ready for the keyboard. */
  function prepare () {
    frames()
      .attr('role', 'button')
      .attr('tabindex', 0)
      .attr('aria-label', ({ data }) => describe(data))
      .on('keydown.loopscope', (event, node) => {
        if (event.key !== 'Enter' && event.key !== ' ') return
        event.preventDefault()
        chart.zoomTo(node)
        prepare()
      })
      .on('focus.loopscope', (_, { data }) => { byId('flame-detail').textContent = describe(data) })
  }

  function frames () {
    return d3.select(byId('flame')).selectAll('g.frame')
  }

  function close () {
    byId('flame-panel').hidden = true
    chart?.destroy()
    chart = undefined
  }

  function start () {
    byId('flame-close').addEventListener('click', close)
    byId('flame-reset').addEventListener('click', () => {
      chart?.resetZoom()
      if (chart) prepare()
    })
    new ResizeObserver(() => {
      const { clientWidth } = byId('flame')
      if (chart === undefined || clientWidth === 0 || chart.width() === clientWidth) return
      chart.width(clientWidth).update()
      prepare()
    }).observe(byId('flame'))
  }

  return { start, show }
})()
