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
    return element('tr', { className: row.isNoise ? 'noise' : '' }, ...columns.map(({ read, show }) => element('td', {}, show(read(row)))))
  }

  function moreElement (hiddenCount) {
    const more = button(`Show ${Math.min(STEP, hiddenCount)} more`, () => { limit += STEP })
    return element('tr', {}, element('td', { colSpan: columns.length }, more))
  }

  function button (text, change) {
    const made = element('button', { type: 'button', tabIndex: 0 }, text)
    made.addEventListener('click', () => {
      change()
      render()
    })
    return made
  }

  function element (name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties)
    made.append(...children)
    return made
  }

  for (const [column, { title }] of columns.entries()) {
    const sort = () => { sorting = { column, isDescending: sorting.column === column ? !sorting.isDescending : column !== 0 } }
    table.tHead.rows[0].append(element('th', { scope: 'col' }, button(title, sort)))
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
