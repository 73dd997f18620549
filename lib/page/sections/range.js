/* global document, loopscope */
'use strict'

// The form for a time range of the recorder: shows its flame graph or downloads a profile. The default is the last 15 seconds.

loopscope.range = (() => {
  const { byId, duration, time } = loopscope.display
  const { clampRange, recordedRange, timeOfDay } = loopscope.figures
  const { flame, problems, session } = loopscope
  const LAST_MS = 15_000

  let startedAt = 0
  let recorded = null
  let chosen = null

  function show ({ fromMs, toMs }) {
    byId('from').value = time(fromMs)
    byId('to').value = time(toMs)
  }

  /** @param {{ off: string | null, fromMs: number | null }} recorder */
  function setRecorder (recorder) {
    recorded = recordedRange(recorder, { startedAt, now: Date.now() })
    byId('range-fields').disabled = recorded === null
    if (recorded === null) {
      byId('range-note').textContent = `The recorder is off (${recorder.off}): no flame graph is available.`
      return
    }
    byId('range-note').textContent = `The recorder holds ${time(recorded.fromMs)} to ${time(recorded.toMs)}, ${duration(recorded.toMs - recorded.fromMs)}.`
    for (const id of ['from', 'to']) Object.assign(byId(id), { min: time(recorded.fromMs), max: time(recorded.toMs) })
    if (byId('range').contains(document.activeElement) && document.activeElement.type === 'time') return // the reader is typing
    chosen = chosen && clampRange(chosen, recorded)
    show(chosen ?? latest())
  }

  function latest () {
    return clampRange({ fromMs: recorded.toMs - LAST_MS, toMs: recorded.toMs }, recorded)
  }

  /** Moves the selection into the recorded range, and shows a note if it was moved. */
  function choose (fromMs, toMs) {
    if (recorded === null) return
    chosen = clampRange({ fromMs: Math.floor(fromMs / 1000) * 1000, toMs: Math.ceil(toMs / 1000) * 1000 }, recorded)
    show(chosen)
    byId('range-moved').textContent = chosen.isMoved ? `Moved to ${time(chosen.fromMs)} to ${time(chosen.toMs)}, the nearest recorded range.` : ''
  }

  function chooseTyped () {
    const [fromMs, toMs] = ['from', 'to'].map(id => timeOfDay(byId(id).value, recorded.toMs))
    const current = chosen ?? latest()
    choose(fromMs ?? current.fromMs, toMs ?? current.toMs)
  }

  /** @param {{ fromMs: number, toMs: number, route: string | null }} linked  of a link; the server answers what it still has of it */
  function openLinked (linked) {
    if (recorded !== null) choose(linked.fromMs, linked.toMs)
    flame.openRange(byId('range').querySelector('button'), 'range', linked)
  }

  function onSubmit (event) {
    event.preventDefault()
    const button = event.submitter ?? byId('range').querySelector('button')
    chooseTyped()
    if (button.value !== 'download') return flame.openRange(button, 'range', chosen)
    problems.attempt('range', () => session.download(`/cpu?from=${chosen.fromMs}&to=${chosen.toMs}&format=${byId('range-format').value}`, 'profile'))
  }

  function start (facts) {
    startedAt = facts.startedAt
    setRecorder({ off: null, fromMs: null })
    byId('range').addEventListener('submit', onSubmit)
    byId('range-fields').addEventListener('focusout', ({ target }) => { if (target.type === 'time') chooseTyped() })
  }

  return { start, setRecorder, choose, openLinked }
})()
