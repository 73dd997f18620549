/* global d3, document, flamegraph, innerHeight, innerWidth, loopscope, matchMedia, ResizeObserver */
'use strict'

// One flame graph at a time in an element of a page: drawn anew at another width, zoomed with pointer and keyboard, with what a frame says beside
// the pointer.

loopscope.Drawing = (() => {
  const FRAME_HEIGHT_PX = 22
  // Below this a frame cannot be seen or hit, and thousands of them make the page slow.
  const MIN_FRAME_PX = 1
  const ANIMATION_MS = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 200
  const STEPS = {
    ArrowUp: node => element => d3.select(element).datum() === node.parent,
    ArrowDown: node => element => d3.select(element).datum().parent === node,
    ArrowLeft: node => element => isBeside(d3.select(element).datum(), node, -1),
    ArrowRight: node => element => isBeside(d3.select(element).datum(), node, 1)
  }

  class Drawing {
    #holder
    #uses
    #keyboard
    #tooltip
    #chart
    #words

    /**
     * @param {HTMLElement} holder
     * @param {object} uses
     * @param {(text: string) => void} uses.showDetails  of the frame under the pointer, or with the focus
     * @param {(isZoomed: boolean) => void} uses.onZoom
     * @param {HTMLElement} uses.tip  beside the pointer
     */
    constructor (holder, uses) {
      this.#holder = holder
      this.#uses = uses
      this.#keyboard = new FrameKeyboard(holder, data => this.#words.describe(data, ', '))
      this.#tooltip = createTooltip(uses.tip, data => this.#words.describe(data, '\n'))
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
     * @param {ReturnType<typeof loopscope.words.wordsFor>} words
     */
    draw (tree, words) {
      this.clear()
      this.#words = words
      this.#chart = this.#createChart()
      d3.select(this.#holder).datum(tree).call(this.#chart)
      this.#uses.onZoom(false)
      this.#keyboard.prepare()
    }

    resetZoom () {
      this.#chart?.resetZoom()
      this.#keyboard.prepare()
    }

    /** @param {string} term  in lower case; '' ends it */
    search (term) {
      this.#holder.classList.toggle('searching', term !== '')
      if (term === '') this.#chart?.clear()
      else this.#chart?.search(term)
      this.#keyboard.prepare()
    }

    /** Of what a search found, the widest that is drawn has the focus. */
    focusMatch () {
      this.#keyboard.focusWidest('g.match')
    }

    #createChart () {
      return flamegraph.default()
        .width(this.#holder.clientWidth)
        .cellHeight(FRAME_HEIGHT_PX)
        .minFrameSize(MIN_FRAME_PX)
        .resetHeightOnZoom(true) // what was too narrow to be drawn may reach deeper
        .inverted(true)
        .transitionDuration(ANIMATION_MS)
        .getName(({ data }) => this.#words.labelOf(data))
        .setColorMapper(node => `var(--${node.highlight ? 'match' : this.#words.colourOf(node.data)})`)
        .setLabelHandler(({ data }) => this.#words.describe(data, ' · '))
        .setSearchMatch(({ data }, term) => loopscope.words.isFound(data, term))
        .setSearchHandler(() => {}) // frames that are folded away are counted, too: words.js
        .tooltip(this.#tooltip)
        .setDetailsHandler(text => this.#tell(text))
        .onClick(node => {
          this.#uses.onZoom(node.parent !== null)
          this.#keyboard.prepare()
        })
    }

    /** @param {string | null} [text]  none: what has the focus is told */
    #tell (text) {
      const data = this.#keyboard.focusedData()
      this.#uses.showDetails(text ?? (data ? this.#words.describe(data, ' · ') : ''))
    }

    #listen () {
      this.#holder.addEventListener('keydown', event => {
        if (event.ctrlKey || event.metaKey || event.altKey || !event.target.closest('.frame')) return
        this.#keyboard.onFrameKey(event, node => this.#chart.zoomTo(node))
      })
      this.#holder.addEventListener('focusin', event => {
        this.#keyboard.moveTo(event.target.closest('.frame'))
        this.#tell()
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

  /** The frames as buttons of the keyboard and of screen readers: one of them can be reached with Tab, the arrow keys go from there. */
  class FrameKeyboard {
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

  /**
   * What a frame says beside the pointer, as d3-flame-graph wants it made.
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
