/* global loopscope */
'use strict'

// Tables of any number of rows, sorted by any column that has values: the first rows are shown, more on demand, so that long tables stay fast.

loopscope.tables = (() => {
  const { byId, element, redraw } = loopscope.display
  const PAGE_ROWS = 50
  /** Number of rows shown, by table. */
  const shown = new Map()
  /** The column that the reader sorted by, by table. @type {Map<string, { title: string, isDescending: boolean }>} */
  const sorted = new Map()

  /**
   * @param {string} id  of the element for the table
   * @param {{ title: string, className?: string, cell: (row: any) => Node | string, sort?: (row: any) => number | string | null }[]} columns
   *   sort: the value to sort by
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
    const head = element('tr', {}, ...columns.map(column => headOf(key, column, drawAgain)))
    const body = sortedRows(key, columns, rows).slice(0, limit).flatMap(row => rowsOf(columns, row, detailOf(row)))
    const table = element('table', {}, element('thead', {}, head), element('tbody', {}, ...body))
    return { table, more: rows.length > limit ? [moreButton(key, rows.length - limit, limit, pageRows, drawAgain)] : [] }
  }

  function headOf (key, { title, className = '', sort }, drawAgain) {
    if (sort === undefined) return element('th', { scope: 'col', className }, title)
    const by = sorted.get(key)
    const isSorted = by?.title === title
    const button = element('button', { type: 'button', className: 'sort' }, title)
    button.dataset.key = `sort ${key} ${title}`
    button.addEventListener('click', () => {
      // Numbers begin with the largest, names with the first letter.
      sorted.set(key, { title, isDescending: isSorted ? !by.isDescending : className === 'number' })
      drawAgain()
    })
    return element('th', { scope: 'col', className, ariaSort: isSorted ? (by.isDescending ? 'descending' : 'ascending') : 'none' }, button)
  }

  /** As given, until the reader sorts them; rows without a value are last. */
  function sortedRows (key, columns, rows) {
    const { title, isDescending } = sorted.get(key) ?? {}
    const { sort } = columns.find(column => column.title === title) ?? {}
    if (sort === undefined) return rows
    const valued = rows.map(row => ({ row, value: sort(row) ?? null }))
    valued.sort((a, b) => {
      if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null)
      const order = typeof a.value === 'number' ? a.value - b.value : String(a.value).localeCompare(String(b.value))
      return isDescending ? -order : order
    })
    return valued.map(({ row }) => row)
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
