/* global loopscope */
'use strict'

// Two or three heap snapshots of the store, compared: the headline and the suspects here, the rest as a file.

loopscope.heap = (() => {
  const { byId, bytes, element, time } = loopscope.words
  const { json, download } = loopscope.session
  const MAX_SUSPECTS = 3

  const NONE = ''
  const choices = ['compare-before', 'compare-between', 'compare-after'].map(byId)
  let attempt = work => work()

  /** @param {{ name: string, kind: string, at: number, bytes: number }[]} artifacts  the newest first */
  function offer (artifacts) {
    const snapshots = artifacts.filter(({ kind }) => kind === 'heap-snapshot').sort((a, b) => a.at - b.at)
    byId('compare').hidden = snapshots.length < 2
    const known = choices.map(({ value }) => value)
    for (const [at, choice] of choices.entries()) {
      const optional = choice.id === 'compare-between' ? [element('option', { value: NONE }, 'none')] : []
      choice.replaceChildren(...optional, ...snapshots.map(({ name, at: made, bytes: size }) => element('option', { value: name }, `${time(made)} (${bytes(size)})`)))
      const first = [snapshots[0], undefined, snapshots[snapshots.length - 1]][at]
      choice.value = snapshots.some(({ name }) => name === known[at]) ? known[at] : first?.name ?? NONE
    }
  }

  function address (format) {
    const [before, between, after] = choices.map(({ value }) => value)
    return `/heap/comparison?${new URLSearchParams({ before, ...(between !== NONE && { between }), after, format })}`
  }

  async function compare () {
    byId('compare-result').replaceChildren(element('progress', { ariaLabel: 'comparing' }))
    try {
      const { headline, incomparable, suspects } = await json(address('json'))
      byId('compare-result').replaceChildren(
        element('p', {}, element('strong', {}, headline)),
        ...(incomparable === null ? [] : [element('p', { className: 'quiet' }, `Not compared object by object: ${incomparable}.`)]),
        ...suspects.slice(0, MAX_SUSPECTS).map(describe)
      )
    } catch (error) {
      byId('compare-result').replaceChildren()
      throw error
    }
  }

  function describe ({ name, className, growthBytes, share, confidence, reasons, patterns, path }) {
    const way = path.map(step => step.by === 'entry' ? '[entry]' : step.name).join(' → ')
    return element('div', {},
      element('p', {}, `${name} (${className}): +${bytes(growthBytes)}, ${Math.round(share * 100)} % of the growth. Confidence ${confidence}: ${reasons.join('; ')}.`),
      element('p', { className: 'quiet' }, `Held by ${way}`),
      ...patterns.map(text => element('p', { className: 'quiet' }, text)))
  }

  /** @param {(work: () => Promise<void>) => Promise<void>} tries  what it does with a problem */
  function start (tries) {
    attempt = tries
    byId('compare-form').addEventListener('submit', event => {
      event.preventDefault()
      attempt(compare)
    })
    byId('compare-report').addEventListener('click', () => attempt(() => download(address('html'), 'heap-comparison.html')))
  }

  return { offer, start }
})()
