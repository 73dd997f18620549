'use strict'

// Windows of known calls: what a CPU profile looks like in which functions of the application call functions of node:fs.

/**
 * @param {[call: string | null, caller: string, micros: number][]} calls  null: the caller's own code ran
 * @param {number} [startTime]
 */
function windowOf (calls, startTime = 1_000_000) {
  const nodes = [{ id: 1, callFrame: frameOf('(root)', ''), children: [] }]
  const ids = new Map()
  const nodeOf = (parent, functionName, url) => {
    const key = `${parent} ${functionName}`
    if (!ids.has(key)) {
      const id = nodes.length + 1
      nodes.push({ id, callFrame: frameOf(functionName, url), children: [] })
      nodes[parent - 1].children.push(id)
      ids.set(key, id)
    }
    return ids.get(key)
  }
  const samples = calls.map(([call, caller]) => {
    const own = nodeOf(1, caller, `file:///app/${caller}.js`)
    return call === null ? own : nodeOf(own, call, 'node:fs')
  })
  const timeDeltas = calls.map(([, , micros]) => micros)
  return { nodes, samples, timeDeltas, startTime, endTime: startTime + timeDeltas.reduce((sum, micros) => sum + micros, 0) }
}

function frameOf (functionName, url) {
  return { functionName, scriptId: '1', url, lineNumber: 0, columnNumber: 0 }
}

module.exports = { windowOf }
