/* global d3, document, loopscope */
'use strict'

// The frames as buttons of the keyboard and of screen readers: one of them can be reached with Tab, the arrow keys go from there.

const STEPS = {
  ArrowUp: node => element => d3.select(element).datum() === node.parent,
  ArrowDown: node => element => d3.select(element).datum().parent === node,
  ArrowLeft: node => element => isBeside(d3.select(element).datum(), node, -1),
  ArrowRight: node => element => isBeside(d3.select(element).datum(), node, 1)
}

loopscope.FrameKeyboard = class {
  #holder
  #describe
  #focused = null

  /**
   * @param {HTMLElement} holder
   * @param {(data: any) => string} describe
   */
  constructor (holder, describe) {
    this.#holder = holder
    this.#describe = describe
  }

  /** d3-flame-graph makes and removes frames as it zooms; these are ready for keyboard and screen reader. */
  prepare () {
    const frames = this.#frames()
    if (!frames.nodes().includes(this.#focused)) this.#focused = frames.nodes()[0] ?? null
    const focused = this.#focused
    frames
      .attr('role', 'button')
      .attr('tabindex', function () { return this === focused ? 0 : -1 })
      .attr('aria-label', ({ data }) => this.#describe(data))
      .classed('match', node => Boolean(node.highlight))
  }

  /** Another tree is drawn: its first frame is the one. */
  forget () {
    this.#focused = null
  }

  /** @param {Element | null} element  null: none that is a frame */
  moveTo (element) {
    this.#focused = element ?? this.#focused
    this.prepare()
  }

  /** What the frame shows that has the focus; null when something else has it. */
  focusedData () {
    return this.#focused && this.#focused === document.activeElement ? d3.select(this.#focused).datum().data : null
  }

  /**
   * @param {KeyboardEvent} event
   * @param {(node: any) => void} zoomTo
   */
  onFrameKey (event, zoomTo) {
    if (event.key in STEPS) this.#step(event.key)
    else if (event.key === 'Enter' || event.key === ' ') zoomTo(d3.select(this.#focused).datum())
    else if (event.key === 'Home') this.#focus(this.#frames().nodes()[0])
    else return
    event.preventDefault()
  }

  /** @param {string} selector  nothing happens where no frame has it */
  focusWidest (selector) {
    const width = element => Number(element.getAttribute('width'))
    const [widest] = [...this.#holder.querySelectorAll(selector)].sort((a, b) => width(b) - width(a))
    if (widest) this.#focus(widest)
  }

  #frames () {
    return d3.select(this.#holder).selectAll('g.frame')
  }

  #step (key) {
    const node = d3.select(this.#focused).datum()
    const candidates = this.#frames().nodes().filter(STEPS[key](node))
    const from = element => Math.abs(d3.select(element).datum().x0 - node.x0)
    const [nearest] = candidates.sort((a, b) => from(a) - from(b))
    if (nearest) this.#focus(nearest)
  }

  #focus (element) {
    this.moveTo(element)
    element.focus()
  }
}

function isBeside (candidate, node, direction) {
  return candidate.depth === node.depth && Math.sign(candidate.x0 - node.x0) === direction
}
