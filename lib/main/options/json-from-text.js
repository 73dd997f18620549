'use strict'

// What an environment variable holds as JSON, or names as a file of JSON. There may be secrets in it, so no error quotes it.

const fs = require('node:fs')
const { refuse } = require('../../shared/base/validate')

/**
 * @param {string} variable
 * @param {string} wanted  what the JSON is
 * @returns {(text: string) => unknown} throws ERR_LOOPSCOPE_INVALID_OPTION
 */
function jsonFromText (variable, wanted) {
  return text => {
    const isJson = /^\s*[[{]/.test(text)
    try {
      return JSON.parse(isJson ? text : fs.readFileSync(text, 'utf8'))
    } catch (error) {
      const { code, message } = /** @type {NodeJS.ErrnoException} */ (error)
      if (code !== undefined) return refuse(variable, `${wanted} as JSON, or the path of a file of JSON`, `neither (${code})`)
      const [where = 'not JSON'] = /position \d+/.exec(message) ?? []
      return refuse(variable, `${wanted} as JSON`, `something else${isJson ? '' : ' in the file'}: ${where}`)
    }
  }
}

module.exports = { jsonFromText }
