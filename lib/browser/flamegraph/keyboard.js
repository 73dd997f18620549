/* global d3, document, loopscope */
'use strict'

// The frames as buttons of the keyboard and of screen readers: one of them can be reached with Tab, the arrow keys go from there.

loopscope.keyboard = (() => {
  const { describe } = loopscope.tree
  const chartElement = document.getElementById('chart')

  const STEPS = {
    ArrowUp: node => element => d3.select(element).datum() === node.parent,
    ArrowDown: node => element => d3.select(element).datum().parent === node,
    ArrowLeft: node => element => isBeside(d3.select(element).datum(), node, -1),
    ArrowRight: node => element => isBeside(d3.select(element).datum(), node, 1)
  }

  let focused = null

  // d3-flame-graph makes and removes frames as it zooms; these are ready for keyboard and screen reader.
  function prepare () {
    const frames = frameElements()
    if (!frames.nodes().includes(focused)) focused = frames.nodes()[0] ?? null
    frames
      .attr('role', 'button')
      .attr('tabindex', function () { return this === focused ? 0 : -1 })
      .attr('aria-label', ({ data }) => describe(data, ', '))
      .classed('match', node => Boolean(node.highlight))
  }

  function frameElements () {
    return d3.select(chartElement).selectAll('g.frame')
  }

  /** Another tree is drawn: its first frame is the one. */
  function forget () {
    focused = null
  }

  /** @param {Element | null} element  null: none that is a frame */
  function moveTo (element) {
    focused = element ?? focused
    prepare()
  }

  /** What the frame shows that has the focus; null when something else has it. */
  function focusedData () {
    return focused && focused === document.activeElement ? d3.select(focused).datum().data : null
  }

  function isBeside (candidate, node, direction) {
    return candidate.depth === node.depth && Math.sign(candidate.x0 - node.x0) === direction
  }

  function step (key) {
    const node = d3.select(focused).datum()
    const candidates = frameElements().nodes().filter(STEPS[key](node))
    const from = element => Math.abs(d3.select(element).datum().x0 - node.x0)
    const [nearest] = candidates.sort((a, b) => from(a) - from(b))
    if (nearest) focusFrame(nearest)
  }

  function focusFrame (element) {
    focused = element
    prepare()
    element.focus()
  }

  /**
   * @param {KeyboardEvent} event
   * @param {(node: any) => void} zoomTo
   */
  function onFrameKey (event, zoomTo) {
    if (event.key in STEPS) step(event.key)
    else if (event.key === 'Enter' || event.key === ' ') zoomTo(d3.select(focused).datum())
    else if (event.key === 'Home') focusFrame(frameElements().nodes()[0])
    else return
    event.preventDefault()
  }

  return { focusedData, forget, moveTo, onFrameKey, prepare }
})()
