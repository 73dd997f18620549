/* global document, loopscope */
'use strict'

// Numbers and times as people read them, and elements made from data. Whatever comes from the server becomes text, never markup.

loopscope.display = (() => {
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

  /** @param {{ function: string, file: string, line: number, column: number } | null} frame */
  function place (frame) {
    if (frame === null) return ''
    if (frame.file === '') return frame.function
    const column = frame.column > MAX_WRITTEN_COLUMN ? `:${frame.column}` : ''
    return `${frame.function} (${frame.file}:${frame.line}${column})`
  }

  /** As the log has it (shared/stalls/stall-line.js). */
  function culprit (found) {
    if (found === null) return ''
    const entered = found.via && `${found.via.package} ${found.via.function}`
    const called = [found.call, entered].filter(Boolean).join(' by ')
    return called === '' ? place(found) : `${called} called by ${place(found)}`
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

  const byId = id => document.getElementById(id)

  return { duration, time, place, culprit, element, byId }
})()
