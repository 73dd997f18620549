'use strict'

// Server-sent events as they come. It understands what our own routes send: one `event` and one `data` line a block.

/**
 * @param {AsyncIterable<Buffer>} stream
 * @returns {AsyncGenerator<{ name: string, data: any }>}
 */
async function * readEvents (stream) {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]))
      const [name, data] = [fields.get('event'), fields.get('data')]
      if (name !== undefined && data !== undefined) yield { name, data: JSON.parse(data) }
    }
  }
}

module.exports = { readEvents }
