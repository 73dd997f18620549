/* global loopscope */
'use strict'

// Tables that stay quick however many rows there are: so many are shown, the next ones on demand.

loopscope.tables = (() => {
  const { byId, element } = loopscope.display
  const PAGE_ROWS = 50
  /** How many rows of each table the reader has asked for. */
  const shown = new Map()

  /**
   * @param {string} id  of the element that holds it
   * @param {{ title: string, className?: string, cell: (row: any) => Node | string }[]} columns
   * @param {any[]} rows
   * @param {{ empty: string, onRow?: (row: any) => void, isOpen?: (row: any) => boolean }} options
   */
  function show (id, columns, rows, options) {
    const holder = byId(id)
    if (rows.length === 0) return holder.replaceChildren(element('p', { className: 'quiet' }, options.empty))
    const limit = shown.get(id) ?? PAGE_ROWS
    const head = element('tr', {}, ...columns.map(({ title, className = '' }) => element('th', { scope: 'col', className }, title)))
    const body = rows.slice(0, limit).map(row => rowOf(columns, row, options))
    const table = element('table', {}, element('thead', {}, head), element('tbody', {}, ...body))
    const more = rows.length > limit ? [moreButton(id, columns, rows, options, limit)] : []
    keepFocus(holder, () => holder.replaceChildren(element('div', { className: 'scroll' }, table), ...more))
  }

  function rowOf (columns, row, { isOpen }) {
    const cells = columns.map(({ title, className = '', cell }) => {
      const made = element('td', { className }, cell(row))
      made.dataset.title = title // shown where there is no room for columns
      return made
    })
    return element('tr', { className: isOpen?.(row) ? 'open' : '' }, ...cells)
  }

  function moreButton (id, columns, rows, options, limit) {
    const button = element('button', { type: 'button' }, `Show ${Math.min(PAGE_ROWS, rows.length - limit)} more of ${rows.length}`)
    button.addEventListener('click', () => {
      shown.set(id, limit + PAGE_ROWS)
      show(id, columns, rows, options)
    })
    return button
  }

  /** A table that is drawn anew must not take the keyboard away from who uses it. */
  function keepFocus (holder, draw) {
    const { activeElement } = holder.ownerDocument
    const key = holder.contains(activeElement) ? activeElement.dataset.key : undefined
    draw()
    if (key !== undefined) [...holder.querySelectorAll('[data-key]')].find(({ dataset }) => dataset.key === key)?.focus()
  }

  /** A button that reads as a link, and is found again after the table was drawn anew. */
  function action (text, key, onClick) {
    const button = element('button', { type: 'button', className: 'link' }, text)
    button.dataset.key = key
    button.addEventListener('click', onClick)
    return button
  }

  return { show, action }
})()
