/* global d3, flamegraph, loopscope, matchMedia, ResizeObserver */
'use strict'

// One flame graph at a time in an element of a page: drawn anew at another width, zoomed with pointer and keyboard.

const FRAME_HEIGHT_PX = 22
// Below this a frame cannot be seen or hit, and thousands of them make the page slow.
const MIN_FRAME_PX = 1
const ANIMATION_MS = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 200

loopscope.Drawing = class {
  #holder
  #uses
  #keyboard
  #chart
  #words

  /**
   * @param {HTMLElement} holder
   * @param {object} uses
   * @param {(text: string) => void} uses.showDetails  of the frame under the pointer, or with the focus
   * @param {(isZoomed: boolean) => void} uses.onZoom
   * @param {ReturnType<typeof loopscope.createTooltip>} uses.tooltip
   */
  constructor (holder, uses) {
    this.#holder = holder
    this.#uses = uses
    this.#keyboard = new loopscope.FrameKeyboard(holder, data => this.#words.describe(data, ', '))
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
      .setSearchHandler(() => {}) // frames that are folded away are counted, too: search.js
      .tooltip(this.#uses.tooltip)
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
