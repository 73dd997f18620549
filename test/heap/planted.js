'use strict'

// Snapshots of an application with planted secrets, made once for all tests of a file; and the search for a text in every
// form in which it could stand in a file.

const { fork } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

const app = path.resolve(__dirname, '../fixtures/heap/secrets-app.js')

/** @returns {Promise<{ dir: string, secrets: Record<string, string> }>} dir is the caller's to remove */
async function makePlanted () {
  const dir = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-test-'))
  const child = fork(app, [dir], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const told = once(child, 'message').then(([secrets]) => secrets)
  const ended = once(child, 'exit').then(() => { throw new Error('the application ended before it told its secrets') })
  ended.catch(() => {})
  return { dir, secrets: await Promise.race([told, ended]) }
}

/** @param {string} text */
function formsOf (text) {
  const escaped = JSON.stringify(text).slice(1, -1)
  const escapedBy = toHex => escaped.replace(/[^ -~]/g, unit => `\\u${toHex(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`)
  // Where a text begins within three bytes decides its base64; the characters at its ends depend on its neighbours.
  const base64 = ['', 'x', 'xx'].map(before => Buffer.from(before + text).toString('base64').replace(/=+$/, '').slice(before === '' ? 0 : 4, -2))
  return [...new Set([text, escaped, escapedBy(hex => hex), escapedBy(hex => hex.toUpperCase()), encodeURIComponent(text), Buffer.from(text).toString('hex'), ...base64])]
}

/**
 * @param {string} file
 * @param {Record<string, string>} secrets
 * @returns {string[]} places whose secret stands in the file
 */
function findSecrets (file, secrets) {
  const bytes = fs.readFileSync(file)
  return Object.entries(secrets).filter(([, text]) => formsOf(text).some(form => bytes.includes(form))).map(([place]) => place)
}

module.exports = { makePlanted, findSecrets }
