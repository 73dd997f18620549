'use strict'

const neostandard = require('neostandard')

const TIMERS = ['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate', 'performance']
  .map(name => ({ name, message: 'Take it from lib/base/timers.js.' }))

const typescript = neostandard.plugins['typescript-eslint']

module.exports = [
  ...neostandard({ ignores: ['node_modules', 'bench/node_modules', '.nodes', 'test/fixtures/source-maps/dist'], ts: true }),
  {
    files: ['**/*.js', '**/*.mjs'],
    rules: {
      'n/prefer-node-protocol': 'error',
      'max-lines': ['warn', { max: 400, skipComments: true }]
    }
  },
  {
    files: ['lib/**/*.js'],
    rules: {
      // The environment is read in one place, and a library writes to the console nowhere.
      'no-console': 'error',
      'no-restricted-properties': ['error', { object: 'process', property: 'env', message: 'Read the environment through lib/api/options/resolve-options.js.' }],
      'no-param-reassign': ['error', { props: false }]
    }
  },
  {
    // Fake timers and other environments replace the globals.
    files: ['lib/**/*.js'],
    ignores: ['lib/page/**'],
    rules: {
      'no-restricted-globals': ['error', ...TIMERS]
    }
  },
  {
    // Where an application's code runs as well, it may have replaced any of them.
    files: ['lib/{api,base,formats,link,probe,shared,source-maps}/**/*.js'],
    ignores: ['lib/base/globals.js'],
    rules: {
      'no-restricted-globals': ['error', ...TIMERS, ...['AbortController', 'AbortSignal', 'Promise', 'URL', 'URLSearchParams'].map(name => ({ name, message: 'Take it from lib/base/globals.js.' }))]
    }
  },
  {
    // A promise that nobody waits for ends the application when it is rejected: see lib/base/guard.js.
    files: ['lib/**/*.js'],
    ignores: ['lib/page/**'],
    plugins: { '@typescript-eslint': typescript.plugin },
    languageOptions: { parser: typescript.parser, parserOptions: { project: './tsconfig.json', tsconfigRootDir: __dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: false }],
      '@typescript-eslint/no-misused-promises': 'error'
    }
  }
]
