'use strict'

const path = require('node:path')
const { Failure } = require('../failure')
const { CONNECT_OPTIONS, parseUrl } = require('../connect/connect')

/** @import { Command, Invocation } from '../commands' */

/** @type {import('../optional-package').OptionalPackage} */
const PACKAGE = Object.freeze({
  name: '@modelcontextprotocol/server',
  use: 'mcp speaks with assistants through @modelcontextprotocol/server',
  cache: 'mcp',
  remedy: 'Install it in this project: `npm install --save-dev @modelcontextprotocol/server`; or start both without a project:\n' +
    '`npx --yes --package=loopscope --package=@modelcontextprotocol/server loopscope mcp`.'
})

/** @type {Command} */
module.exports = {
  name: 'mcp',
  usage: '[<url> ...]',
  help: 'let an AI assistant ask the same questions: a server of the Model Context Protocol on standard input and output, read-only by default',
  options: {
    'allow-captures': { type: 'boolean', meaning: 'also offer marks, sampling on demand, and saving profiles and heap snapshots' },
    folder: { type: 'string', meaning: 'folder for saved captures (default: the current one)' },
    'token-file': CONNECT_OPTIONS['token-file']
  },
  positionals: { min: 0, max: 20 },
  examples: ['loopscope mcp', 'loopscope mcp --allow-captures', 'loopscope mcp https://admin.example.com --token-file token'],
  makesFile: true,
  run
}

/** @param {Invocation} invocation */
async function run (invocation) {
  const { positionals, values, env, signal, runCommand } = invocation
  if (values.folder !== undefined && !values['allow-captures']) throw new Failure('usage', '--folder needs --allow-captures.')
  const settings = {
    addresses: new Map(positionals.map(text => [shownAddress(text), text])),
    tokenFile: values['token-file'],
    allowCaptures: values['allow-captures'] === true,
    folder: path.resolve(values.folder ?? '.')
  }
  const requirePackage = await require('../optional-package').provideOptionalPackage(PACKAGE, invocation)
  await require('../mcp/server').serve(settings, { requirePackage, runCommand, env, signal })
}

/** Without the token that may be part of it. @param {string} text */
function shownAddress (text) {
  const { origin, pathname } = parseUrl(text)
  return pathname === '/' ? origin : origin + pathname
}
