'use strict'

// Pages that are one file and need nothing else: no network, no server, no other file. What is filled in enters as text or as
// JSON, never as markup, and the page's own policy lets no other script or style run.

const { createHash } = require('node:crypto')

/** @type {Record<string, string>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** @param {string} text */
function escapeHtml (text) {
  return text.replaceAll(/[&<>"']/g, character => ENTITIES[character])
}

/**
 * Browsers hash a script after they have made every line end a line feed.
 * @param {string} source
 */
function oneLineEnd (source) {
  return source.replaceAll('\r\n', '\n')
}

/**
 * @param {string} style
 * @param {string[]} scripts
 * @param {string[]} [more]  directives; those of a document that a server sends
 */
function policyOf (style, scripts, more = []) {
  return [
    "default-src 'none'",
    `script-src ${scripts.map(hashSource).join(' ')}`,
    `style-src ${hashSource(style)}`,
    'img-src data:', // the empty icon of the page, without which a browser asks the server for one
    "base-uri 'none'",
    "form-action 'none'",
    ...more
  ].join('; ')
}

/** @param {string} source */
function hashSource (source) {
  return `'sha256-${createHash('sha256').update(source).digest('base64')}'`
}

/**
 * JSON that cannot end the script element it stands in.
 * @param {unknown} value
 */
function jsonForHtml (value) {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}

/**
 * One pass, so that what was filled in is not looked at again.
 * @param {string} shell
 * @param {Record<string, string>} values
 */
function fill (shell, values) {
  return shell.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => values[name])
}

module.exports = { escapeHtml, fill, jsonForHtml, oneLineEnd, policyOf }
