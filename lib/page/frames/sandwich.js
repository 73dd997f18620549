/* global loopscope */
'use strict'

// The view of one function: a list of functions, and of the chosen one its callers above and its callees below it.

loopscope.Sandwich = (() => {
  const { element } = loopscope
  const MAX_ROWS = 200
  const COLUMNS = [['self', 'Self'], ['total', 'Total']]

  class Sandwich {
    #element
    #list
    #title
    #note
    #callers
    #callees
    #graph
    #text
    #term = ''
    #sortedBy = 'self'
    /** Its name and place, which stay the same in the next graph. @type {string | null} */
    #chosen = null

    /**
     * @param {HTMLElement} holder
     * @param {{ showDetails: (text: string) => void, tip: HTMLElement }} uses
     */
    constructor (holder, uses) {
      const [callers, callees] = [element('div', { className: 'frames' }), element('div', { className: 'frames' })]
      this.#list = element('div', { className: 'function-list' })
      this.#title = element('h3', {})
      this.#note = element('p', { className: 'quiet' })
      this.#element = element('div', { className: 'sandwich', hidden: true }, this.#list,
        element('div', { className: 'one-function' }, this.#title, element('h4', {}, 'Callers'), callers, element('h4', {}, 'Callees'), callees))
      holder.append(this.#element)
      const own = { ...uses, onZoom: () => {} }
      this.#callers = new loopscope.Drawing(callers, { ...own, isUpward: true })
      this.#callees = new loopscope.Drawing(callees, own)
    }

    /**
     * @param {any} graph
     * @param {any} text  of the frames of the whole graph: shares are shares of it
     * @param {string} term  in lower case: only functions that match are listed
     */
    show (graph, text, term) {
      this.#element.hidden = false
      this.#graph = graph
      this.#text = text
      this.search(term)
    }

    hide () {
      this.#element.hidden = true
      this.#callers.clear()
      this.#callees.clear()
    }

    /** @param {string} term  in lower case */
    search (term) {
      this.#term = term
      const functions = loopscope.callers.functionsOf(this.#graph).map(one => ({ ...one, ...nameOf(this.#graph.frames[one.frame]) }))
      const matching = functions.filter(one => term === '' || loopscope.frameText.isMatch(one, term)).sort((a, b) => b[this.#sortedBy] - a[this.#sortedBy])
      const chosen = matching.find(({ key }) => key === this.#chosen) ?? matching[0]
      this.#drawList(matching, chosen)
      this.#drawFunction(chosen)
    }

    #drawList (functions, chosen) {
      const head = COLUMNS.map(([name, title]) => {
        const button = element('button', { type: 'button', className: 'sort' }, title)
        button.addEventListener('click', () => {
          this.#sortedBy = name
          this.search(this.#term)
          this.#list.querySelector('th[aria-sort=descending] button')?.focus()
        })
        return element('th', { scope: 'col', className: 'number', ariaSort: name === this.#sortedBy ? 'descending' : 'none' }, button)
      })
      const rows = functions.slice(0, MAX_ROWS).map(one => {
        const button = element('button', { type: 'button', className: 'link', ariaPressed: String(one === chosen) }, one.name)
        button.addEventListener('click', () => {
          this.#chosen = one.key
          for (const other of this.#list.querySelectorAll('td button')) other.ariaPressed = String(other === button)
          this.#drawFunction(one)
        })
        return element('tr', {}, element('td', { className: 'place' }, button, ' ', element('span', { className: 'quiet' }, one.place)),
          ...COLUMNS.map(([name]) => element('td', { className: 'number' }, this.#text.percentOf(one[name]))))
      })
      this.#note.textContent = functions.length > MAX_ROWS ? `The first ${MAX_ROWS} of ${functions.length} functions: search for others.` : functions.length === 0 ? 'No function matches.' : ''
      this.#list.replaceChildren(element('table', {}, element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, 'Function'), ...head)), element('tbody', {}, ...rows)), this.#note)
    }

    #drawFunction (one) {
      this.#title.textContent = one === undefined ? '' : [one.name, one.place].filter(Boolean).join(' ')
      const { callersOf, calleesOf } = loopscope.callers
      for (const [drawing, graphOf] of [[this.#callers, callersOf], [this.#callees, calleesOf]]) {
        drawing.clear()
        if (one !== undefined) drawing.draw(loopscope.frames.treeOf(graphOf(this.#graph, one.frame), true), this.#text)
      }
    }
  }

  function nameOf ([name, place, , owner, folded]) {
    return { key: `${name} ${place}`, name, place, owner, folded }
  }

  return Sandwich
})()
