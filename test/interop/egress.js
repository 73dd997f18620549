'use strict'

// What Pyroscope and the collector show of what was sent to them, asked as their users ask.

const CPU = 'process_cpu:cpu:nanoseconds:cpu:nanoseconds'
const MEMORY = 'memory:inuse_space:bytes:inuse_space:bytes'

/**
 * @param {string} url
 * @param {string} query  `type{label="value"}`
 * @returns {Promise<{ names: string[], total: number }>} what is in the flame graph
 */
async function render (url, query) {
  const parameters = new URLSearchParams({ query, from: 'now-1h', until: 'now', format: 'json' })
  const response = await fetch(`${url}/pyroscope/render?${parameters}`)
  if (!response.ok) return { names: [], total: 0 } // it knows no such type yet
  const { flamebearer: { names, numTicks } } = await response.json()
  return { names, total: numTicks }
}

/**
 * @param {string} url
 * @param {string} profileTypeID
 * @param {string} spanId
 * @returns {Promise<string[]>} the functions of one span
 */
async function renderSpan (url, profileTypeID, spanId) {
  const end = Date.now()
  const response = await fetch(`${url}/querier.v1.QuerierService/SelectMergeSpanProfile`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ profileTypeID, labelSelector: '{}', spanSelector: [spanId], start: end - 3600e3, end })
  })
  return (await response.json()).flamegraph.names
}

/** One request, as egress sends it. */
async function send ({ method, url, headers, body }) {
  const response = await fetch(url, { method, headers, body })
  return { status: response.status, text: await response.text() }
}

module.exports = { CPU, MEMORY, render, renderSpan, send }
