/* global document, loopscope */
'use strict'

// The controls of a flame graph and the places where it speaks, made in the element that it is drawn in.

loopscope.createControls = (() => {
  const SEARCH = 'Search functions, files and packages'
  const KINDS = {
    app: 'application', dependency: 'package', wasm: 'WebAssembly', node: 'Node.js', native: 'native', gc: 'GC', idle: 'idle', route: 'route'
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

  /**
   * @param {HTMLElement} holder
   * @param {Record<'onSearch' | 'onReset' | 'onChange', () => void>} listeners
   */
  return (holder, { onSearch, onReset, onChange }) => {
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
})()
