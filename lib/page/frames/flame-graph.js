/* global document, loopscope */
'use strict'

// A flame graph with its controls, the same on every page: filters, search, legend and details.

loopscope.FlameGraph = (() => {
  const { element } = loopscope
  const SEARCH = 'Search functions, files and packages'
  const KINDS = {
    app: 'application', dependency: 'package', wasm: 'WebAssembly', node: 'Node.js', native: 'native', gc: 'GC', idle: 'idle', route: 'route'
  }
  const VIEWS = { graph: 'Flame graph', functions: 'Callers and callees', time: 'Time order' }
  const MAX_VANISHED = 20
  const OF_BUSY_TIME = 'Shares are of busy time, because two recordings never have the same length and load: when one function gets hotter, ' +
    'the others get colder by the same amount in total. With idle time shown, shares are of all recorded time.'
  const OF_ALL_TIME = 'Shares are of all recorded time, including idle time.'

  class FlameGraph {
    #holder
    #controls
    #drawing
    #sandwich
    #onRoutes
    #loadOrdered = null
    #ordered = null
    #graph = null
    #text
    #allFrames

    /**
     * @param {HTMLElement} holder  the element to fill
     * @param {{ onRoutes?: (isByRoute: boolean) => void }} [uses]  onRoutes: called when the reader switches the view by route
     */
    constructor (holder, { onRoutes = () => {} } = {}) {
      this.#holder = holder
      this.#onRoutes = onRoutes
      this.#controls = createControls(holder, {
        onSearch: () => this.#search(), onReset: () => this.#drawing.resetZoom(), onChange: () => this.#draw()
      })
      const { chart, details, reset, routes, tip, middle } = this.#controls
      routes.box.addEventListener('change', () => this.#onRoutes(routes.box.checked))
      const uses = { showDetails: text => { details.textContent = text }, tip }
      this.#drawing = new loopscope.Drawing(chart, { ...uses, onZoom: isZoomed => { reset.disabled = !isZoomed } })
      this.#sandwich = new loopscope.Sandwich(middle, uses)
      document.addEventListener('keydown', event => this.#onKey(event))
    }

    /**
     * @param {any} graph  as lib/formats/flamegraph/ creates it; null: there is none
     * @param {string} [none]  why there is none
     * @param {(() => Promise<any>) | null} [loadOrdered]  loads the same graph with its calls in the order of time
     */
    show (graph, none = '', loadOrdered = null) {
      this.#graph = graph
      this.#loadOrdered = loadOrdered
      this.#ordered = null
      this.#drawing.clear()
      this.#sandwich.hide()
      const { tools, foot, change } = this.#controls
      tools.hidden = foot.hidden = graph === null
      change.meaning.hidden = change.vanished.hidden = graph?.difference === undefined
      this.#holder.classList.toggle('difference', graph?.difference !== undefined)
      if (graph === null) return this.#showMessage(none)
      const { idle, routes, folding, view, width } = this.#controls
      const time = view.querySelector('[value=time]')
      time.hidden = time.disabled = loadOrdered === null
      if (time.disabled && view.value === 'time') view.value = 'graph'
      const kinds = kindsOf(graph)
      idle.label.hidden = !kinds.has('idle')
      routes.label.hidden = graph.routes === undefined
      folding.label.hidden = !kinds.has('app')
      width.textContent = `Width is ${graph.difference ? 'the share in the newer recording' : graph.unit === 'bytes' ? 'memory' : 'time'}.`
      this.#draw()
    }

    /** @param {boolean} isByRoute */
    showRoutes (isByRoute) {
      this.#controls.routes.box.checked = isByRoute
      if (this.#graph !== null) this.#draw()
    }

    #draw () {
      const { idle, routes, folding, search, reset, view } = this.#controls
      reset.hidden = view.value === 'functions'
      for (const { label } of [folding, routes]) label.classList.toggle('unused', view.value !== 'graph')
      idle.label.classList.toggle('unused', view.value === 'time')
      this.#sandwich.hide()
      if (view.value === 'time') return this.#drawOrdered()
      const isWhole = view.value === 'functions' // its callers are what is looked for
      const graph = !isWhole && routes.box.checked && this.#graph.routes ? loopscope.frames.groupByRoute(this.#graph) : this.#graph
      const { graph: shown, isHidden } = folding.box.checked && !isWhole ? loopscope.frames.foldFrameworks(graph) : { graph, isHidden: [] }
      const tree = loopscope.frames.treeOf(shown, idle.box.checked)
      this.#allFrames = loopscope.frames.treeOf(graph, idle.box.checked, isHidden)
      this.#text = loopscope.frameText.textFor(graph, tree, idle.box.checked)
      const kinds = kindsOf(shown)
      for (const item of this.#controls.legend.children) item.hidden = !kinds.has(item.className) || (item.className === 'idle' && !idle.box.checked)
      this.#drawing.clear()
      if (this.#text.changes) this.#showChange(tree, idle.box.checked)
      if (tree.value === 0) return this.#showMessage('The process was idle during this time.')
      if (isWhole) return this.#sandwich.show(shown, this.#text, this.#term)
      this.#drawing.draw(tree, this.#text)
      if (search.value !== '') this.#search()
    }

    /** With idle time and all frames: the gaps are what it is for. */
    async #drawOrdered () {
      const graph = this.#graph
      this.#drawing.clear()
      this.#showMessage('Loading …')
      try {
        this.#ordered ??= await this.#loadOrdered()
      } catch (error) {
        return this.#showMessage(error.message)
      }
      if (graph !== this.#graph || this.#controls.view.value !== 'time') return
      const tree = this.#allFrames = loopscope.frames.treeOf(this.#ordered, true)
      this.#text = loopscope.frameText.textFor(this.#ordered, tree, true)
      this.#drawing.draw(tree, this.#text)
      if (this.#term !== '') this.#search()
    }

    get #term () { return this.#controls.search.value.trim().toLowerCase() }

    /**
     * @param {any} tree
     * @param {boolean} withIdle
     */
    #showChange (tree, withIdle) {
      const { whole, vanished, summary, list } = this.#controls.change
      whole.textContent = withIdle ? OF_ALL_TIME : OF_BUSY_TIME
      const removed = loopscope.changes.vanishedFrom(tree, this.#text.changes)
      vanished.hidden = removed.length === 0
      summary.textContent = `Only in the earlier recording: ${removed.length}`
      const lines = removed.slice(0, MAX_VANISHED).map(data => `${this.#text.labelOf(data)}, ${this.#text.shareOf(data)}`)
      if (removed.length > MAX_VANISHED) lines.push(`and ${removed.length - MAX_VANISHED} more`)
      list.replaceChildren(...lines.map(line => element('li', {}, line)))
    }

    /** @param {string} text */
    #showMessage (text) {
      this.#controls.chart.replaceChildren(element('p', { className: 'quiet' }, text))
    }

    #search () {
      const term = this.#term
      const found = term === '' ? '' : loopscope.frameText.describeMatches(loopscope.frameText.find(this.#allFrames, term), this.#text.shareOf)
      this.#controls.matches.textContent = found
      if (this.#controls.view.value === 'functions') this.#sandwich.search(term)
      else this.#drawing.search(term)
    }

    #onKey (event) {
      const { search } = this.#controls
      if (this.#holder.offsetParent === null || this.#graph === null || event.ctrlKey || event.metaKey || event.altKey) return
      const isForGraph = this.#holder.contains(event.target) || event.target === document.body
      if (event.key === 'Escape' && isForGraph) {
        search.value = ''
        this.#search()
        this.#drawing.resetZoom()
      } else if (event.key === '/' && !isTyping(event.target)) {
        event.preventDefault()
        search.focus()
        search.select()
      } else if (event.key === 'Enter' && event.target === search) {
        this.#drawing.focusMatch()
      }
    }
  }

  function isTyping ({ localName, type }) {
    return localName === 'select' || localName === 'textarea' || (localName === 'input' && type !== 'checkbox')
  }

  /** @param {any} graph */
  function kindsOf ({ frames, nodes }) {
    return new Set(nodes.map(([, frame]) => frames[frame][2]))
  }

  /**
   * Creates the controls, and the elements for details and messages.
   * @param {HTMLElement} holder
   * @param {Record<'onSearch' | 'onReset' | 'onChange', () => void>} listeners
   */
  function createControls (holder, { onSearch, onReset, onChange }) {
    const search = searchBox(onSearch)
    const matches = element('output', { className: 'matches' })
    const reset = element('button', { type: 'button', disabled: true }, 'Reset zoom')
    reset.addEventListener('click', onReset)
    const [folding, idle, routes] = [checkbox('Hide frameworks', true, onChange), checkbox('Show idle', false, onChange), checkbox('By route', false, onChange)]
    const legend = createLegend('Kind of code', Object.entries(KINDS))
    const view = element('select', { ariaLabel: 'View' }, ...Object.entries(VIEWS).map(([value, text]) => element('option', { value }, text)))
    view.addEventListener('change', onChange)
    const tools = element('div', { className: 'tools' }, view, search, matches, reset, folding.label, idle.label, routes.label, legend)
    const change = createChange()
    const chart = element('div', { className: 'frames' })
    const middle = element('div')
    const [width, details] = [element('span'), element('p', { className: 'details', role: 'status' })]
    const foot = element('div', { className: 'foot' }, details, createHint(width))
    const tip = element('div', { className: 'tip', hidden: true })
    holder.classList.add('flame-graph')
    holder.append(tools, change.meaning, change.vanished, chart, middle, foot, tip)
    return { change, tools, search, matches, reset, folding, idle, routes, legend, view, chart, middle, foot, width, details, tip }
  }

  function checkbox (text, checked, onChange) {
    const box = element('input', { type: 'checkbox', checked })
    box.addEventListener('change', onChange)
    return { box, label: element('label', {}, box, ` ${text}`) }
  }

  function searchBox (onInput) {
    const box = element('input', { type: 'search', placeholder: SEARCH, ariaLabel: SEARCH, spellcheck: false, autocomplete: 'off' })
    box.setAttribute('aria-keyshortcuts', '/')
    box.addEventListener('input', onInput)
    return box
  }

  function createLegend (ariaLabel, entries) {
    const items = entries.map(([name, text]) => element('li', { className: name }, text))
    return element('ul', { className: 'legend', ariaLabel }, ...items)
  }

  function createHint (width) {
    const key = text => element('kbd', {}, text)
    return element('p', { className: 'hint' }, width, ' Each frame was called by the one above it. Click or ', key('Enter'), ' zooms, ', key('Esc'),
      ' resets, arrow keys move, ', key('/'), ' searches, and ', key('Enter'), ' goes to the widest match.')
  }

  /** What only the difference of two recordings has. */
  function createChange () {
    const steps = createLegend('Change in percentage points', loopscope.changes.STEPS.map(({ name, text }) => [name, text]))
    const whole = element('span')
    const meaning = element('div', { className: 'meaning' }, steps, element('p', {}, 'Color shows the change of the share in percentage points: +3.0 is from 10.0 % to 13.0 %. ', whole,
      ' No clear change: two recordings of the same code could differ as much (two standard errors).'))
    const [summary, list] = [element('summary'), element('ul')]
    return { meaning, whole, summary, list, vanished: element('details', { className: 'vanished' }, summary, list) }
  }

  return FlameGraph
})()
