'use strict'

// Recognizes the runtimes that run Node.js programs without being Node.js: Bun and Deno. Their clocks and their inspectors differ.

const { bun, deno } = /** @type {Record<string, string | undefined>} */ (process.versions)

/** Name and version; null in Node.js itself. */
const OTHER_RUNTIME = bun !== undefined ? `Bun ${bun}` : deno !== undefined ? `Deno ${deno}` : null

module.exports = { OTHER_RUNTIME }
