/* global document, loopscope */
'use strict'

// Shows an error next to the control that caused it, until the reader dismisses it. The slots are in page.html: data-problems.

loopscope.problems = (() => {
  const { element } = loopscope.display
  /** The dismissed error of each repeated request; cleared when the request succeeds. */
  const dismissed = new Map()

  function showProblem (slot, text) {
    const holder = document.querySelector(`[data-problems="${slot}"]`)
    const existing = [...holder.children].find(({ dataset }) => dataset.text === text)
    if (existing !== undefined) return existing
    const button = element('button', { type: 'button' }, 'Dismiss')
    const problem = element('div', { className: 'problem', role: 'alert' }, element('p', {}, text), button)
    problem.dataset.text = text
    button.addEventListener('click', () => {
      dismissed.set(slot, text)
      problem.remove()
    })
    holder.replaceChildren(problem)
    return problem
  }

  /** @param {string} text */
  function show (slot, text) {
    showProblem(slot, text).scrollIntoView({ block: 'nearest' })
  }

  /** For work that the reader started. Removes an earlier error from the slot. */
  async function attempt (slot, work) {
    document.querySelector(`[data-problems="${slot}"]`).replaceChildren()
    try {
      return await work()
    } catch (error) {
      if (error.status !== 401) show(slot, error.message) // 401: the page asks for a token
    }
  }

  /** For work that the page repeats by itself. A lost connection is not shown here but once, at the top of the page. */
  async function watch (slot, work) {
    try {
      const result = await work()
      dismissed.delete(slot)
      return result
    } catch (error) {
      const isConnectionError = error.status === undefined && error instanceof TypeError
      if (error.status !== 401 && !isConnectionError && dismissed.get(slot) !== error.message) showProblem(slot, error.message)
    }
  }

  /** Shows what a path answers, likewise. */
  async function load (slot, path, showAnswer) {
    const answer = await watch(slot, () => loopscope.session.json(path))
    if (answer !== undefined) await showAnswer(answer)
  }

  return { attempt, load, show, watch }
})()
