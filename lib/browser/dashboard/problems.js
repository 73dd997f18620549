/* global document, loopscope */
'use strict'

// What went wrong, told beside the control that caused it, until it is dismissed. The places are in page.html: data-problems.

loopscope.problems = (() => {
  const { element } = loopscope.display
  /** What the reader has dismissed of what is tried again and again; forgotten when it works. */
  const dismissed = new Map()

  function tell (slot, text) {
    const holder = document.querySelector(`[data-problems="${slot}"]`)
    const known = [...holder.children].find(({ dataset }) => dataset.text === text)
    if (known !== undefined) return known
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

  /** What somebody asked for. Whatever was told there before is over. */
  async function attempt (slot, work) {
    document.querySelector(`[data-problems="${slot}"]`).replaceChildren()
    try {
      return await work()
    } catch (error) {
      if (error.status !== 401) tell(slot, error.message).scrollIntoView({ block: 'nearest' }) // 401: the page asks for a token
    }
  }

  /** What the page does by itself. Without a connection it says so at its top, once. */
  async function watch (slot, work) {
    try {
      const result = await work()
      dismissed.delete(slot)
      return result
    } catch (error) {
      const isOfConnection = error.status === undefined && error instanceof TypeError
      if (error.status !== 401 && !isOfConnection && dismissed.get(slot) !== error.message) tell(slot, error.message)
    }
  }

  return { attempt, watch }
})()
