/* global d3, document, flamegraph, innerHeight, innerWidth, loopscope, matchMedia, ResizeObserver */
'use strict'

// Draws one flame graph in an element of a page: redraws it when the width changes, zooms with pointer and keyboard, and shows the tooltip of a
// frame. Creates DOM elements for it and for what is around it.

/**
 * @param {string} name
 * @param {Record<string, any>} [properties]
 * @param {(Node | string)[]} children
 */
loopscope.element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

loopscope.Drawing = (() => {
  const FRAME_HEIGHT_PX = 22
  // Below this a frame cannot be seen or hit, and thousands of them make the page slow.
  const MIN_FRAME_PX = 1
  const ANIMATION_MS = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 200
  const STEPS = {
    parent: node => element => d3.select(element).datum() === node.parent,
    child: node => element => d3.select(element).datum().parent === node,
    ArrowLeft: node => element => isBeside(d3.select(element).datum(), node, -1),
    ArrowRight: node => element => isBeside(d3.select(element).datum(), node, 1)
  }

  const UPWARDS = { ArrowUp: 'child', ArrowDown: 'parent' }
  const DOWNWARDS = { ArrowUp: 'parent', ArrowDown: 'child' }

  class Drawing {
    #holder
    #uses
    #keyboard
    #tooltip
    #chart
    #text

    /**
     * @param {HTMLElement} holder
     * @param {object} uses
     * @param {(text: string) => void} uses.showDetails  for the frame under the pointer, or the focused one
     * @param {(isZoomed: boolean) => void} uses.onZoom
     * @param {HTMLElement} uses.tip  the tooltip
     * @param {boolean} [uses.isUpward]  callees are drawn above their callers
     */
    constructor (holder, uses) {
      this.#holder = holder
      this.#uses = uses
      this.#keyboard = new FrameKeyboard(holder, data => this.#text.describe(data, ', '), uses.isUpward ? UPWARDS : DOWNWARDS)
      this.#tooltip = createTooltip(uses.tip, data => this.#text.describe(data, '\n'))
      this.#listen()
    }

    clear () {
      this.#chart?.destroy()
      this.#chart = undefined
      this.#keyboard.forget()
      this.#holder.replaceChildren()
    }

    /**
     * @param {any} tree
     * @param {ReturnType<typeof loopscope.frameText.textFor>} text  of its frames
     */
    draw (tree, text) {
      this.clear()
      this.#text = text
      this.#chart = this.#createChart()
      d3.select(this.#holder).datum(tree).call(this.#chart)
      this.#uses.onZoom(false)
      this.#keyboard.prepare()
    }

    resetZoom () {
      this.#chart?.resetZoom()
      this.#keyboard.prepare()
    }

    /** @param {string} term  in lower case; '' ends the search */
    search (term) {
      this.#holder.classList.toggle('searching', term !== '')
      if (term === '') this.#chart?.clear()
      else this.#chart?.search(term)
      this.#keyboard.prepare()
    }

    /** Focuses the widest frame that the search found. */
    focusMatch () {
      this.#keyboard.focusWidest('g.match')
    }

    #createChart () {
      return flamegraph.default()
        .width(this.#holder.clientWidth)
        .cellHeight(FRAME_HEIGHT_PX)
        .minFrameSize(MIN_FRAME_PX)
        .resetHeightOnZoom(true) // frames too narrow to be drawn before may go deeper
        .inverted(!this.#uses.isUpward)
        .transitionDuration(ANIMATION_MS)
        .getName(({ data }) => this.#text.labelOf(data))
        .setColorMapper(node => `var(--${node.highlight ? 'match' : this.#text.colorOf(node.data)})`)
        .setLabelHandler(({ data }) => this.#text.describe(data, ' · '))
        .setSearchMatch(({ data }, term) => loopscope.frameText.isMatch(data, term))
        .setSearchHandler(() => {}) // frame-text.js counts matches, folded frames included
        .tooltip(this.#tooltip)
        .setDetailsHandler(text => this.#showDetails(text))
        .onClick(node => {
          this.#uses.onZoom(node.parent !== null)
          this.#keyboard.prepare()
        })
    }

    /** @param {string | null} [text]  none: that of the focused frame */
    #showDetails (text) {
      const data = this.#keyboard.focusedData()
      this.#uses.showDetails(text ?? (data ? this.#text.describe(data, ' · ') : ''))
    }

    #listen () {
      this.#holder.addEventListener('keydown', event => {
        if (event.ctrlKey || event.metaKey || event.altKey || !event.target.closest('.frame')) return
        this.#keyboard.onFrameKey(event, node => this.#chart.zoomTo(node))
      })
      this.#holder.addEventListener('focusin', event => {
        this.#keyboard.moveTo(event.target.closest('.frame'))
        this.#showDetails()
      })
      this.#holder.addEventListener('focusout', () => this.#uses.showDetails(''))
      new ResizeObserver(() => {
        const { clientWidth } = this.#holder
        if (this.#chart === undefined || clientWidth === 0 || this.#chart.width() === clientWidth) return
        this.#chart.width(clientWidth).update()
        this.#keyboard.prepare()
      }).observe(this.#holder)
    }
  }

  /** Makes frames accessible to keyboard and screen reader, as buttons: Tab reaches one of them, arrow keys move from there. */
  class FrameKeyboard {
    #holder
    #describe
    #vertical
    #focused = null

    /**
     * @param {HTMLElement} holder
     * @param {(data: any) => string} describe
     * @param {Record<string, string>} vertical  where the arrow keys up and down lead
     */
    constructor (holder, describe, vertical) {
      this.#holder = holder
      this.#describe = describe
      this.#vertical = vertical
    }

    /** Called after each change: d3-flame-graph creates and removes frames when it zooms. */
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

    /** For a new tree: its first frame is the one that Tab reaches. */
    forget () {
      this.#focused = null
    }

    /** @param {Element | null} element  null: not a frame */
    moveTo (element) {
      this.#focused = element ?? this.#focused
      this.prepare()
    }

    /** The data of the focused frame; null if no frame is focused. */
    focusedData () {
      return this.#focused && this.#focused === document.activeElement ? d3.select(this.#focused).datum().data : null
    }

    /**
     * @param {KeyboardEvent} event
     * @param {(node: any) => void} zoomTo
     */
    onFrameKey (event, zoomTo) {
      const step = this.#vertical[event.key] ?? event.key
      if (step in STEPS) this.#step(step)
      else if (event.key === 'Enter' || event.key === ' ') zoomTo(d3.select(this.#focused).datum())
      else if (event.key === 'Home') this.#focus(this.#frames().nodes()[0])
      else return
      event.preventDefault()
    }

    /** @param {string} selector  nothing happens if no frame matches */
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

  /**
   * The tooltip of a frame, with the interface that d3-flame-graph expects.
   * @param {HTMLElement} tip
   * @param {(data: any) => string} describe
   */
  function createTooltip (tip, describe) {
    function tooltip () {}
    tooltip.show = (event, { data }) => {
      tip.textContent = describe(data)
      tip.hidden = false
      const { width, height } = tip.getBoundingClientRect()
      const left = Math.min(event.clientX + 12, innerWidth - width - 8)
      const below = event.clientY + 16
      tip.style.left = `${Math.max(8, left)}px`
      tip.style.top = `${below + height < innerHeight - 8 ? below : Math.max(8, event.clientY - height - 12)}px`
    }
    tooltip.hide = () => { tip.hidden = true }
    return tooltip
  }

  return Drawing
})()
