/* global d3, flamegraph, loopscope, matchMedia, ResizeObserver */
'use strict'

// One flame graph at a time in an element of a page: drawn anew at another width, zoomed with pointer and keyboard.

const FRAME_HEIGHT_PX = 22
// Below this a frame cannot be seen or hit, and thousands of them make the page slow.
const MIN_FRAME_PX = 0.5
const ANIMATION_MS = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 200

loopscope.Drawing = class {
  #holder
  #uses
  #keyboard
  #chart
  #display

  /**
   * @param {HTMLElement} holder
   * @param {object} uses
   * @param {(text: string) => void} uses.showDetails  of the frame under the pointer, or with the focus
   * @param {(isZoomed: boolean) => void} [uses.onZoom]
   * @param {(chart: any) => any} [uses.configure]  what else the chart of d3-flame-graph shall do
   */
  constructor (holder, { showDetails, onZoom = () => {}, configure = chart => chart }) {
    this.#holder = holder
    this.#uses = { showDetails, onZoom, configure }
    this.#keyboard = new loopscope.FrameKeyboard(holder, data => this.#display.describe(data, ', '))
    holder.classList.add('frames')
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
   * @param {ReturnType<typeof loopscope.frames.displayFor>} display
   */
  draw (tree, display) {
    this.clear()
    this.#display = display
    this.#chart = this.#uses.configure(this.#createChart())
    d3.select(this.#holder).datum(tree).call(this.#chart)
    this.#uses.onZoom(false)
    this.#keyboard.prepare()
  }

  resetZoom () {
    this.#chart?.resetZoom()
    this.#keyboard.prepare()
  }

  /** @param {string} term  '' ends it */
  search (term) {
    this.#holder.classList.toggle('searching', term !== '')
    if (term === '') this.#chart.clear()
    else this.#chart.search(term)
    this.#keyboard.prepare()
  }

  #createChart () {
    return flamegraph.default()
      .width(this.#holder.clientWidth)
      .cellHeight(FRAME_HEIGHT_PX)
      .minFrameSize(MIN_FRAME_PX)
      .inverted(true)
      .transitionDuration(ANIMATION_MS)
      .getName(({ data }) => loopscope.frames.labelOf(data))
      .setColorMapper(node => `var(--${node.highlight ? 'match' : node.data.kind})`)
      .setLabelHandler(({ data }) => this.#display.describe(data, ' · '))
      .setDetailsHandler(text => this.#tell(text))
      .onClick(node => {
        this.#uses.onZoom(node.parent !== null)
        this.#keyboard.prepare()
      })
  }

  /** @param {string | null} [text]  none: what has the focus is told */
  #tell (text) {
    const data = this.#keyboard.focusedData()
    this.#uses.showDetails(text ?? (data ? this.#display.describe(data, ' · ') : ''))
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
