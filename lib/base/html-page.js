'use strict'

// Pages as one HTML file that needs no network, no server and no other file. A page consists of files of lib/page/: the common shell and palette,
// and its own parts. Data is inserted as text or JSON, never as markup, and the content security policy of the page forbids all other scripts and
// styles.

const { createHash } = require('node:crypto')
const { readOwn } = require('./own-files')

/** @type {Record<string, string>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Files that require nothing, and are what the pages' scripts find in `loopscope`. */
const SHARED = Object.freeze({ sizes: 'base/sizes.js', handlerName: 'shared/stalls/handler-name.js' })

const STYLES = Object.freeze(['shell/palette.css', 'shell/elements.css'])

/**
 * @typedef {object} Page
 * @property {(title: string, values: Record<string, string>) => string} asFile  with its policy in it; values: HTML, by its name in
 *   the body
 * @property {(title: string, directives: string[]) => { html: string, policy: string }} toServe  the policy is for the server to send
 */

/** @param {string} text */
function escapeHtml (text) {
  return text.replaceAll(/[&<>"']/g, character => ENTITIES[character])
}

/** Browsers hash a script after they have made every line end a line feed. @param {string} source */
function normalizeLineEnds (source) {
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

/** JSON that cannot end the script element it stands in. @param {unknown} value */
function jsonForHtml (value) {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}

/**
 * One pass, so that what was filled in is not looked at again.
 * @param {string} template
 * @param {Record<string, string>} values
 */
function fill (template, values) {
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => values[name])
}

/**
 * What does not change from one page of a kind to the next, read once.
 * @param {object} parts  of lib/page/, in the order in which they need each other
 * @param {string} parts.body
 * @param {readonly string[]} parts.styles
 * @param {readonly string[]} parts.scripts
 * @param {Readonly<Record<string, string>>} [parts.modules]  files that require nothing, by their names in `loopscope`: the page's own
 * @param {{ styles?: readonly string[], scripts?: readonly string[] }} [libraries]  their text
 * @returns {Page}
 */
function createPage ({ body, styles, scripts, modules = {} }, { styles: theirStyles = [], scripts: theirScripts = [] } = {}) {
  const read = (/** @type {string} */ name) => normalizeLineEnds(readOwn(`page/${name}`))
  const style = [...theirStyles.map(normalizeLineEnds), ...[...STYLES, ...styles].map(read)].join('\n')
  const sources = [...theirScripts.map(normalizeLineEnds), [sharedScript(modules), ...scripts.map(read)].join('\n')]
  const elements = sources.map(source => `<script>${source}</script>`).join('\n')
  const fixed = { shell: read('shell/shell.html'), body: read(body), style, scripts: elements }
  const policyElement = `<meta http-equiv="Content-Security-Policy" content="${policyOf(style, sources)}">`
  return {
    asFile: (title, values) => fillPage(fixed, title, values, policyElement),
    toServe: (title, directives) => ({ html: fillPage(fixed, title, {}, ''), policy: policyOf(style, sources, directives) })
  }
}

/**
 * @param {{ shell: string, body: string, style: string, scripts: string }} fixed
 * @param {string} title
 * @param {Record<string, string>} values
 * @param {string} policy
 */
function fillPage ({ shell, body, style, scripts }, title, values, policy) {
  return fill(shell, { policy, title: escapeHtml(title), style, body: fill(body, values), scripts })
}

/**
 * Pages format sizes and names with the same code as text reports; their calculations are tested without a browser.
 * @param {Readonly<Record<string, string>>} own
 */
function sharedScript (own) {
  const modules = Object.entries({ ...SHARED, ...own }).map(([name, file]) => `  ${name}: (module => {\n${normalizeLineEnds(readOwn(file))}\nreturn module.exports })({})`)
  return `const loopscope = {\n${modules.join(',\n')}\n}`
}

module.exports = { createPage, escapeHtml, jsonForHtml }
