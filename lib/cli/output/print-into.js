'use strict'

// Where -o puts what a command prints: all of it, when it is complete.

const { Writable } = require('node:stream')
const { isStandardOutput, openDestination } = require('./destination')

/** @import { Invocation } from '../commands' */

/**
 * @param {Invocation} invocation
 * @param {{ name: string, print: (invocation: Invocation) => Promise<number | void> | number | void }} command
 * @returns {Promise<number | void>}
 */
async function printInto (invocation, { name, print }) {
  const { values, terminal } = invocation
  if (isStandardOutput(values.output)) return print(invocation)
  const destination = openDestination(invocation, { name: `${name}.txt`, isText: true })
  /** @type {Buffer[]} */
  const chunks = []
  const output = new Writable({
    write (chunk, encoding, done) {
      chunks.push(chunk)
      done()
    }
  })
  const code = await print({ ...invocation, terminal: terminal.changed({ output }) })
  await destination.write(Buffer.concat(chunks))
  return code
}

module.exports = { printInto }
