/* global document, loopscope */
'use strict'

// A flame graph with its controls, the same in every page: which frames are shown, what is searched for, and what is said of them.

loopscope.FlameGraph = (() => {
  const SEARCH = 'Search functions, files and packages'
  const KINDS = {
    app: 'application', dependency: 'package', wasm: 'WebAssembly', node: 'Node.js', native: 'native', gc: 'GC', idle: 'idle', route: 'route'
  }
  const MAX_VANISHED = 20
  const OF_TIME_AT_WORK = 'Shares are of the time at work, since two recordings are never equally long or busy: where one function got hotter, ' +
    'the others got colder by as much in sum. With idle time shown they are of all time recorded.'
  const OF_ALL_TIME = 'Shares are of all time recorded, idle time as well.'

  class FlameGraph {
    #holder
    #controls
    #drawing
    #onRoutes
    #graph = null
    #words
    #allFrames

    /**
     * @param {HTMLElement} holder  in which all of it is made
     * @param {{ onRoutes?: (isByRoute: boolean) => void }} [uses]  onRoutes: told what the reader chose
     */
    constructor (holder, { onRoutes = () => {} } = {}) {
      this.#holder = holder
      this.#onRoutes = onRoutes
      this.#controls = createControls(holder, {
        onSearch: () => this.#search(), onReset: () => this.#drawing.resetZoom(), onChange: () => this.#draw()
      })
      const { chart, details, reset, routes, tip } = this.#controls
      routes.box.addEventListener('change', () => this.#onRoutes(routes.box.checked))
      this.#drawing = new loopscope.Drawing(chart, {
        showDetails: text => { details.textContent = text },
        onZoom: isZoomed => { reset.disabled = !isZoomed },
        tip
      })
      document.addEventListener('keydown', event => this.#onKey(event))
    }

    /**
     * @param {any} graph  as the formats describe it; null: there is none
     * @param {string} [none]  why there is none
     */
    show (graph, none = '') {
      this.#graph = graph
      this.#drawing.clear()
      const { tools, foot, change } = this.#controls
      tools.hidden = foot.hidden = graph === null
      change.meaning.hidden = change.vanished.hidden = graph?.difference === undefined
      this.#holder.classList.toggle('difference', graph?.difference !== undefined)
      if (graph === null) return this.#say(none)
      const { idle, routes, folding, width } = this.#controls
      const kinds = kindsOf(graph)
      idle.label.hidden = !kinds.has('idle')
      routes.label.hidden = graph.routes === undefined
      folding.label.hidden = !kinds.has('app')
      width.textContent = `Width is ${graph.difference ? 'the share after' : graph.unit === 'bytes' ? 'memory' : 'time'}.`
      this.#draw()
    }

    /** @param {boolean} isByRoute */
    showRoutes (isByRoute) {
      this.#controls.routes.box.checked = isByRoute
      if (this.#graph !== null) this.#draw()
    }

    #draw () {
      const { idle, routes, folding, search } = this.#controls
      const graph = routes.box.checked && this.#graph.routes ? loopscope.frames.groupByRoute(this.#graph) : this.#graph
      const { graph: shown, isHidden } = folding.box.checked ? loopscope.frames.foldFrameworks(graph) : { graph, isHidden: [] }
      const tree = loopscope.frames.treeOf(shown, idle.box.checked)
      this.#allFrames = loopscope.frames.treeOf(graph, idle.box.checked, isHidden)
      this.#words = loopscope.words.wordsFor(graph, tree, idle.box.checked)
      const kinds = kindsOf(shown)
      for (const item of this.#controls.legend.children) item.hidden = !kinds.has(item.className) || (item.className === 'idle' && !idle.box.checked)
      this.#drawing.clear()
      if (this.#words.changes) this.#showChange(tree, idle.box.checked)
      if (tree.value === 0) return this.#say('The process did nothing but wait in this time.')
      this.#drawing.draw(tree, this.#words)
      if (search.value !== '') this.#search()
    }

    /**
     * @param {any} tree
     * @param {boolean} withIdle
     */
    #showChange (tree, withIdle) {
      const { whole, vanished, summary, list } = this.#controls.change
      whole.textContent = withIdle ? OF_ALL_TIME : OF_TIME_AT_WORK
      const gone = loopscope.changes.vanishedFrom(tree, this.#words.changes)
      vanished.hidden = gone.length === 0
      summary.textContent = `Ran before only: ${gone.length}`
      const lines = gone.slice(0, MAX_VANISHED).map(data => `${this.#words.labelOf(data)}, ${this.#words.shareOf(data)}`)
      if (gone.length > MAX_VANISHED) lines.push(`and ${gone.length - MAX_VANISHED} more`)
      list.replaceChildren(...lines.map(line => Object.assign(document.createElement('li'), { textContent: line })))
    }

    /** @param {string} text */
    #say (text) {
      const paragraph = Object.assign(document.createElement('p'), { className: 'quiet', textContent: text })
      this.#controls.chart.replaceChildren(paragraph)
    }

    #search () {
      const term = this.#controls.search.value.trim().toLowerCase()
      const found = term === '' ? '' : loopscope.words.tellFound(loopscope.words.find(this.#allFrames, term), this.#words.shareOf)
      this.#controls.matches.textContent = found
      this.#drawing.search(term)
    }

    #onKey (event) {
      const { search } = this.#controls
      const isOurs = this.#holder.contains(event.target) || event.target === document.body
      if (!isOurs || this.#holder.offsetParent === null || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === 'Escape') {
        search.value = ''
        this.#search()
        this.#drawing.resetZoom()
      } else if (event.key === '/' && event.target !== search) {
        event.preventDefault()
        search.focus()
        search.select()
      } else if (event.key === 'Enter' && event.target === search) {
        this.#drawing.focusMatch()
      }
    }
  }

  /** @param {any} graph */
  function kindsOf ({ frames, nodes }) {
    return new Set(nodes.map(([, frame]) => frames[frame][2]))
  }

  /**
   * The controls, and the places where the graph speaks, made in the element that it is drawn in.
   * @param {HTMLElement} holder
   * @param {Record<'onSearch' | 'onReset' | 'onChange', () => void>} listeners
   */
  function createControls (holder, { onSearch, onReset, onChange }) {
    const search = searchBox(onSearch)
    const matches = element('output', { className: 'matches' })
    const reset = element('button', { type: 'button', disabled: true }, 'Reset zoom')
    reset.addEventListener('click', onReset)
    const [folding, idle, routes] = [tickBox('Hide frameworks', true, onChange), tickBox('Show idle', false, onChange), tickBox('By route', false, onChange)]
    const legend = createLegend('Whose code it is', Object.entries(KINDS))
    const tools = element('div', { className: 'tools' }, search, matches, reset, folding.label, idle.label, routes.label, legend)
    const change = createChange()
    const chart = element('div', { className: 'frames' })
    const [width, details] = [element('span'), element('p', { className: 'details', role: 'status' })]
    const foot = element('div', { className: 'foot' }, details, createHint(width))
    const tip = element('div', { className: 'tip', hidden: true })
    holder.classList.add('flame-graph')
    holder.append(tools, change.meaning, change.vanished, chart, foot, tip)
    return { change, tools, search, matches, reset, folding, idle, routes, legend, chart, foot, width, details, tip }
  }

  function element (name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties)
    made.append(...children)
    return made
  }

  function tickBox (text, checked, onChange) {
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
    return element('p', { className: 'hint' }, width, ' A frame was called by the one above it. Click or ', key('Enter'), ' zooms, ', key('Esc'),
      ' resets, arrow keys move, ', key('/'), ' searches, and ', key('Enter'), ' goes to what it found.')
  }

  /** What a difference of two recordings has besides. */
  function createChange () {
    const steps = createLegend('By how many points', loopscope.changes.STEPS.map(({ name, text }) => [name, text]))
    const whole = element('span')
    const meaning = element('div', { className: 'meaning' }, steps, element('p', {}, 'Colour is the change of the share, in points: +3.0 is from 10.0 % to 13.0 %. ', whole,
      ' No clear change: within what two recordings of the same would differ by (two standard errors of the samples).'))
    const [summary, list] = [element('summary'), element('ul')]
    return { meaning, whole, summary, list, vanished: element('details', { className: 'vanished' }, summary, list) }
  }

  return FlameGraph
})()
