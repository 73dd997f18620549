/* global loopscope */
'use strict'

// Tables of any number of rows: the first ones are shown, more on demand, so that long tables stay fast.

loopscope.tables = (() => {
  const { byId, element, redraw } = loopscope.display
  const PAGE_ROWS = 50
  /** Number of rows shown, by table. */
  const shown = new Map()

  /**
   * @param {string} id  of the element for the table
   * @param {{ title: string, className?: string, cell: (row: any) => Node | string }[]} columns
   * @param {any[]} rows
   * @param {{ empty: string, pageRows?: number, detailOf?: (row: any) => Node | null }} options  detailOf: shown below a row
   */
  function show (id, columns, rows, options) {
    const holder = byId(id)
    if (rows.length === 0) return holder.replaceChildren(element('p', { className: 'quiet' }, options.empty))
    const { table, more } = make(id, columns, rows, options, () => show(id, columns, rows, options))
    redraw(holder, element('div', { className: 'scroll' }, table), ...more)
  }

  /**
   * @param {string} key  identifies the table, for its number of rows
   * @param {() => void} drawAgain  called when the reader asks for more rows
   */
  function make (key, columns, rows, { pageRows = PAGE_ROWS, detailOf = () => null }, drawAgain) {
    const limit = shown.get(key) ?? pageRows
    const head = element('tr', {}, ...columns.map(({ title, className = '' }) => element('th', { scope: 'col', className }, title)))
    const body = rows.slice(0, limit).flatMap(row => rowsOf(columns, row, detailOf(row)))
    const table = element('table', {}, element('thead', {}, head), element('tbody', {}, ...body))
    return { table, more: rows.length > limit ? [moreButton(key, rows.length - limit, limit, pageRows, drawAgain)] : [] }
  }

  function rowsOf (columns, row, detail) {
    const cells = columns.map(({ title, className = '', cell }) => {
      const made = element('td', { className }, cell(row))
      made.dataset.title = title // shown on narrow screens, which have no columns
      return made
    })
    if (detail === null) return [element('tr', {}, ...cells)]
    const below = element('td', { colSpan: columns.length }, detail)
    return [element('tr', { className: 'open' }, ...cells), element('tr', { className: 'detail' }, below)]
  }

  function moreButton (key, left, limit, pageRows, drawAgain) {
    const button = element('button', { type: 'button', className: 'more' }, `Show ${Math.min(pageRows, left)} of ${left} more`)
    button.dataset.key = `more ${key}`
    button.addEventListener('click', () => {
      shown.set(key, limit + pageRows)
      drawAgain()
    })
    return button
  }

  return { show, make }
})()
