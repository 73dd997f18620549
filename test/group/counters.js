'use strict'

// Counters in the text of scrapes: they may only grow.

const assert = require('node:assert/strict')

/** @returns {Map<string, number>} every series */
function parseSeries (text) {
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return new Map(lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]))
}

/** Those that may only grow. */
function countersOf (text) {
  const names = [...text.matchAll(/^# TYPE (\S+) (?:counter|histogram)$/gm)].map(([, name]) => name)
  return [...parseSeries(text)].filter(([series]) => names.some(name => series === name || series.startsWith(`${name}{`) || series.startsWith(`${name}_`)))
}

/** Holds the counters of each scrape against the one before, and tells how many there are. */
function createCounterCheck () {
  let before = new Map()
  return text => {
    const now = new Map(countersOf(text))
    for (const [series, value] of before) assert.ok(now.get(series) >= value, `${series} fell from ${value} to ${now.get(series)}`)
    before = now
    return now.size
  }
}

module.exports = { createCounterCheck, parseSeries }
