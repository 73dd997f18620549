/* global loopscope */
'use strict'

// Two or three heap snapshots of one process, compared: the headline and the suspects here, the rest as a file.

loopscope.heap = (() => {
  const { byId, element, time } = loopscope.display
  const { showBytes } = loopscope.sizes
  const { json, download } = loopscope.session
  const { attempt } = loopscope.problems
  const MAX_SUSPECTS = 3

  const NONE = ''
  const choices = ['compare-before', 'compare-between', 'compare-after'].map(byId)
  const processChoice = byId('compare-process')
  /** By process, those with two or more, each the oldest first. @type {Map<string, any[]>} */
  let byProcess = new Map()

  /** @param {{ name: string, kind: string, at: number, bytes: number, process: { pid: number, startedAt: number } | null }[]} artifacts  the newest first */
  function offer (artifacts) {
    const snapshots = artifacts.filter(({ kind, process }) => kind === 'heap-snapshot' && process !== null).sort((a, b) => a.at - b.at)
    const all = new Map(snapshots.map(({ process }) => [nameOf(process), []]))
    for (const snapshot of snapshots) all.get(nameOf(snapshot.process)).push(snapshot)
    byProcess = new Map([...all].filter(([, ofOne]) => ofOne.length > 1))
    byId('compare').hidden = byProcess.size === 0
    choose(processChoice, [...byProcess.keys()].map(name => element('option', { value: name }, name)), [...byProcess.keys()].at(-1))
    offerOfProcess()
  }

  /** Objects are numbered by each process for itself: snapshots of two cannot be compared. */
  function offerOfProcess () {
    const snapshots = byProcess.get(processChoice.value) ?? []
    for (const [at, choice] of choices.entries()) {
      const optional = choice.id === 'compare-between' ? [element('option', { value: NONE }, 'none')] : []
      const options = snapshots.map(({ name, at: made, bytes: size }) => element('option', { value: name }, `${time(made)} (${showBytes(size)})`))
      choose(choice, [...optional, ...options], [snapshots[0], undefined, snapshots[snapshots.length - 1]][at]?.name)
    }
  }

  function nameOf ({ pid, startedAt }) {
    return `pid ${pid}, started ${time(startedAt)}`
  }

  /** What was chosen before stays, where it is still there. */
  function choose (choice, options, otherwise = NONE) {
    const known = choice.value
    choice.replaceChildren(...options)
    choice.value = options.some(({ value }) => value === known) ? known : otherwise
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
    const subject = name === className ? name : `${name} (${className})`
    return element('div', {},
      element('p', {}, `${subject}: +${showBytes(growthBytes)}, ${Math.round(share * 100)} % of the growth. Confidence ${confidence}: ${reasons.join('; ')}.`),
      ...(way === '' ? [] : [element('p', { className: 'quiet' }, `Held by ${way}`)]),
      ...patterns.map(text => element('p', { className: 'quiet' }, text)))
  }

  function start () {
    processChoice.addEventListener('change', offerOfProcess)
    byId('compare-form').addEventListener('submit', event => {
      event.preventDefault()
      attempt('compare', compare)
    })
    byId('compare-report').addEventListener('click', () => attempt('compare', () => download(address('html'), 'heap-comparison.html')))
  }

  return { offer, start }
})()
