'use strict'

// Rules as an environment variable has them: JSON, or the path of a file of JSON. They may hold secrets, so nothing of them is shown.

const fs = require('node:fs')
const { refuse } = require('../../shared/base/validate')

const VARIABLE = 'LOOPSCOPE_RULES'

/** @param {string} text */
function rulesFromText (text) {
  const isJson = /^\s*[[{]/.test(text)
  const written = isJson ? text : readRules(text)
  try {
    return JSON.parse(written)
  } catch (error) {
    const [where = 'not JSON'] = /position \d+/.exec(/** @type {Error} */ (error).message) ?? []
    return refuse(VARIABLE, 'a list of rules as JSON', isJson ? `something else: ${where}` : `something else in the file ${text}: ${where}`)
  }
}

/** @param {string} file */
function readRules (file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (/** @type {any} */ error) {
    return refuse(VARIABLE, 'JSON that begins with [, or the path of a file that can be read', `${error.code} for ${JSON.stringify(file).slice(0, 80)}`)
  }
}

module.exports = { rulesFromText }
