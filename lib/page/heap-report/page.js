/* global document, loopscope */
'use strict'

// The table of classes: sorts by any column, filters by name, and hides V8's internal objects unless the reader shows them.

;(() => {
  const { showBytes, showChange, showCount } = loopscope.sizes
  const STEP = 500 // rows shown at first, and added on demand

  const columns = [
    { title: 'Class', read: row => row.name, show: text => text },
    { title: '# New', read: row => row.newCount, show: showCount },
    { title: '# Deleted', read: row => row.deletedCount, show: showCount },
    { title: '# Delta', read: row => row.newCount - row.deletedCount, show: showCount },
    { title: 'Alloc. Size', read: row => row.allocatedBytes, show: showBytes },
    { title: 'Freed Size', read: row => row.freedBytes, show: showBytes },
    { title: 'Size Delta', read: row => row.allocatedBytes - row.freedBytes, show: showChange },
    { title: '# Grown', read: row => row.grownCount, show: showCount },
    { title: 'Grown Size', read: row => row.grownBytes, show: showChange },
    { title: 'Growth', read: row => row.allocatedBytes - row.freedBytes + row.grownBytes, show: showChange },
    { title: 'Retained Delta', read: row => row.retainedDeltaBytes, show: showChange }
  ]

  const rows = JSON.parse(document.getElementById('data').textContent)
  const table = document.getElementById('classes')
  const search = document.getElementById('search')
  const noise = document.getElementById('noise')
  const count = document.getElementById('count')
  let sorting = { column: columns.findIndex(({ title }) => title === 'Growth'), isDescending: true }
  let limit = STEP

  function selectRows () {
    const text = search.value.toLowerCase()
    const { read } = columns[sorting.column]
    const order = (a, b) => read(a) < read(b) ? -1 : read(a) > read(b) ? 1 : 0
    return rows
      .filter(row => (noise.checked || !row.isNoise) && row.name.toLowerCase().includes(text))
      .sort((a, b) => sorting.isDescending ? order(b, a) : order(a, b))
  }

  function render () {
    const found = selectRows()
    table.tBodies[0].replaceChildren(...found.slice(0, limit).map(rowElement))
    count.textContent = `${Math.min(limit, found.length)} of ${rows.length} classes`
    if (found.length > limit) table.tBodies[0].append(moreElement(found.length - limit))
    for (const [at, cell] of [...table.tHead.rows[0].cells].entries()) {
      cell.setAttribute('aria-sort', at !== sorting.column ? 'none' : sorting.isDescending ? 'descending' : 'ascending')
    }
  }

  function rowElement (row) {
    const element = document.createElement('tr')
    if (row.isNoise) element.className = 'noise'
    for (const { read, show } of columns) {
      const cell = document.createElement('td')
      cell.textContent = show(read(row))
      element.append(cell)
    }
    return element
  }

  function moreElement (hiddenCount) {
    const element = document.createElement('tr')
    const cell = document.createElement('td')
    const button = document.createElement('button')
    cell.colSpan = columns.length
    button.type = 'button'
    button.textContent = `Show ${Math.min(STEP, hiddenCount)} more`
    button.addEventListener('click', () => {
      limit += STEP
      render()
    })
    cell.append(button)
    element.append(cell)
    return element
  }

  for (const [column, { title }] of columns.entries()) {
    const head = document.createElement('th')
    const button = document.createElement('button')
    head.scope = 'col'
    button.type = 'button'
    button.tabIndex = 0
    button.textContent = title
    button.addEventListener('click', () => {
      sorting = { column, isDescending: sorting.column === column ? !sorting.isDescending : column !== 0 }
      render()
    })
    head.append(button)
    table.tHead.rows[0].append(head)
  }
  search.addEventListener('input', render)
  noise.addEventListener('change', render)
  document.addEventListener('keydown', event => {
    if (event.key !== '/' || event.target === search) return
    event.preventDefault()
    search.focus()
  })
  render()
})()
