/* global document, loopscope */
'use strict'

// Numbers and times as people read them, and elements made from data. Whatever comes from the server becomes text, never markup.

loopscope.display = (() => {
  const { calledBy } = loopscope.figures
  const MAX_WRITTEN_COLUMN = 200 // what is further right is in a bundle, where a line is no place

  /** @param {number} ms */
  function duration (ms) {
    if (ms < 1) return `${ms.toFixed(2)} ms`
    if (ms < 1000) return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`
    if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
    const seconds = Math.round(ms / 1000)
    return seconds % 60 === 0 ? `${seconds / 60} min` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  }

  /** @param {number} epochMs  in the reader's own zone */
  function time (epochMs) {
    const date = new Date(epochMs)
    return [date.getHours(), date.getMinutes(), date.getSeconds()].map(part => String(part).padStart(2, '0')).join(':')
  }

  /** The same, with the day where that is not today's. */
  function moment (epochMs) {
    const date = new Date(epochMs)
    return date.toDateString() === new Date().toDateString() ? time(epochMs) : `${date.toLocaleDateString()} ${time(epochMs)}`
  }

  /** @param {{ function: string, file: string, line: number, column: number } | null} frame */
  function place (frame) {
    if (frame === null) return ''
    if (frame.file === '') return frame.function
    const column = frame.column > MAX_WRITTEN_COLUMN ? `:${frame.column}` : ''
    return `${frame.function} (${frame.file}:${frame.line}${column})`
  }

  /** The application's own function first, then what it called; as text. */
  function culprit (stall) {
    const found = stall.culprit
    if (found === null) return ''
    const called = calledBy(found)
    return `${ownPlace(stall)}${called === '' ? '' : `, calling ${called}`}`
  }

  /** The same as elements. */
  function culpritCell ({ culprit: found, ...stall }) {
    if (found === null) return ''
    const called = calledBy(found)
    const own = element('span', { className: 'own' }, ownPlace({ ...stall, culprit: found }))
    return element('span', {}, own, ...(called === '' ? [] : [element('span', { className: 'quiet' }, ` calls ${called}`)]))
  }

  function ownPlace (stall) {
    return place({ ...stall.culprit, function: loopscope.handlerName.nameOfCulprit(stall.culprit, stall) })
  }

  /**
   * @param {string} name
   * @param {Record<string, any>} [properties]
   * @param {(Node | string)[]} children
   */
  function element (name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties)
    made.append(...children)
    return made
  }

  /** A button that reads as a link, and is found again after what it is in was drawn anew. */
  function action (text, key, onClick) {
    const button = element('button', { type: 'button', className: 'link' }, text)
    button.dataset.key = key
    button.addEventListener('click', () => onClick(button))
    return button
  }

  /** Draws anew what a person may be using: the focus stays, and what was opened stays open. */
  function redraw (holder, ...children) {
    const opened = new Map([...holder.querySelectorAll('details[data-key]')].map(({ dataset, open }) => [dataset.key, open]))
    const { activeElement } = document
    const focused = holder.contains(activeElement) ? activeElement.closest('[data-key]')?.dataset.key : undefined
    holder.replaceChildren(...children)
    const keyed = [...holder.querySelectorAll('[data-key]')]
    for (const one of keyed) if (opened.has(one.dataset.key)) one.open = opened.get(one.dataset.key)
    const again = focused === undefined ? undefined : keyed.find(({ dataset }) => dataset.key === focused)
    if (again !== undefined) (again.localName === 'details' ? again.firstElementChild : again).focus({ preventScroll: true })
  }

  const byId = id => document.getElementById(id)

  return { duration, time, moment, place, culprit, culpritCell, element, action, redraw, byId }
})()
