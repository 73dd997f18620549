'use strict'

// The measured process's end: says that it is ready, then answers the parent's questions.

/**
 * @param {unknown} hello
 * @param {Record<string, (argument: any) => unknown>} answers
 */
function serveAnswers (hello, answers) {
  process.on('message', async (/** @type {any} */ { question, argument }) => {
    try {
      process.send?.({ value: await answers[question](argument) })
    } catch (error) {
      process.send?.({ error: String(error instanceof Error ? error.stack : error) })
    }
  })
  process.on('disconnect', () => process.exit())
  process.send?.({ value: hello })
}

module.exports = { serveAnswers }
