'use strict'

// In which format a result is written, the same for all commands: the one that was asked for; else the one that the name of the file
// tells, be it given with -o or after `>`; else text on standard output, and the one for tools in a file.

const { Failure } = require('../failure')
const { isStandardOutput } = require('./destination')

/**
 * @template {Readonly<Record<string, { extension: string }>>} Formats
 * @param {Formats} formats
 * @param {{ values: Record<string, any>, terminal: import('./terminal').Terminal }} invocation
 * @param {keyof Formats & string} usual  in a file
 * @returns {keyof Formats & string}
 */
function chooseFormat (formats, { values: { format, output }, terminal }, usual) {
  const names = /** @type {(keyof Formats & string)[]} */ (Object.keys(formats))
  if (format !== undefined) {
    if (Object.hasOwn(formats, format)) return format
    throw new Failure('usage', `${format} is not a format.`, `Known: ${names.join(', ')}.`)
  }
  const isToOutput = isStandardOutput(output)
  const file = isToOutput ? terminal.outputFile() : output
  const told = names.find(name => file.endsWith(`.${formats[name].extension}`))
  return told ?? (isToOutput && Object.hasOwn(formats, 'text') ? 'text' : usual)
}

module.exports = { chooseFormat }
