/* global document, loopscope */
'use strict'

// Formats numbers, times and positions, and makes links and columns of them. Whatever comes from the server becomes text, never markup.

loopscope.display = (() => {
  const { element } = loopscope
  const { calledBy } = loopscope.figures
  const MAX_SOURCE_COLUMN = 200 // a column further right is in a bundle, where the line alone does not identify the position

  /** @param {number} ms */
  function duration (ms) {
    if (ms < 1) return `${ms.toFixed(2)} ms`
    if (ms < 1000) return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`
    if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
    const seconds = Math.round(ms / 1000)
    return seconds % 60 === 0 ? `${seconds / 60} min` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  }

  /** @param {number} ratio */
  function percent (ratio) {
    return `${(ratio * 100).toFixed(0)} %`
  }

  /** @param {number} epochMs  shown in the time zone of the browser */
  function time (epochMs) {
    const date = new Date(epochMs)
    return [date.getHours(), date.getMinutes(), date.getSeconds()].map(part => String(part).padStart(2, '0')).join(':')
  }

  /** As time(), with the date if that is not today. */
  function dateTime (epochMs) {
    const date = new Date(epochMs)
    return date.toDateString() === new Date().toDateString() ? time(epochMs) : `${date.toLocaleDateString()} ${time(epochMs)}`
  }

  /** @param {{ function: string, file: string, line: number, column: number } | null} frame */
  function place (frame) {
    if (frame === null) return ''
    if (frame.file === '') return frame.function
    const column = frame.column > MAX_SOURCE_COLUMN ? `:${frame.column}` : ''
    return `${frame.function} (${frame.file}:${frame.line}${column})`
  }

  /** As text: the function of the application, then what it called. */
  function culprit (stall) {
    const found = stall.culprit
    if (found === null) return ''
    const called = calledBy(found)
    return `${ownPlace(stall)}${called === '' ? '' : `, calling ${called}`}`
  }

  /** The same, as elements. */
  function culpritCell ({ culprit: found, ...stall }) {
    if (found === null) return ''
    const called = calledBy(found)
    const own = element('span', { className: 'own' }, ownPlace({ ...stall, culprit: found }))
    return element('span', {}, own, ...(called === '' ? [] : [element('span', { className: 'quiet' }, ` calls ${called}`)]))
  }

  function ownPlace (stall) {
    return place({ ...stall.culprit, function: loopscope.handlerName.nameOfCulprit(stall.culprit, stall) })
  }

  /** A button that looks like a link. Its key lets redraw() restore the focus. */
  function action (text, key, onClick) {
    const button = element('button', { type: 'button', className: 'link' }, text)
    button.dataset.key = key
    button.addEventListener('click', () => onClick(button))
    return button
  }

  /** Replaces the children of an element, and keeps the focus and the open state of its details. */
  function redraw (holder, ...children) {
    const opened = new Map([...holder.querySelectorAll('details[data-key]')].map(({ dataset, open }) => [dataset.key, open]))
    const { activeElement } = document
    const focused = holder.contains(activeElement) ? activeElement.closest('[data-key]')?.dataset.key : undefined
    holder.replaceChildren(...children)
    const keyed = [...holder.querySelectorAll('[data-key]')]
    for (const one of keyed) if (opened.has(one.dataset.key)) one.open = opened.get(one.dataset.key)
    const target = focused === undefined ? undefined : keyed.find(({ dataset }) => dataset.key === focused)
    if (target !== undefined) (target.localName === 'details' ? target.firstElementChild : target).focus({ preventScroll: true })
  }

  /** A column with the trace of each row; none where no row has one. */
  function traceColumns (rows) {
    const column = { title: 'Trace', className: 'place', cell: ({ traceId }) => traceId === null ? '' : element('code', {}, traceId) }
    return rows.some(({ traceId }) => traceId !== null) ? [column] : []
  }

  const byId = id => document.getElementById(id)

  return { duration, percent, time, dateTime, place, culprit, culpritCell, element, action, redraw, traceColumns, byId }
})()
