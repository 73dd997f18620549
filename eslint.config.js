'use strict'

const neostandard = require('neostandard')

module.exports = [
  ...neostandard({ ignores: ['node_modules', 'bench/node_modules', '.nodes'], ts: true }),
  {
    files: ['**/*.js', '**/*.mjs'],
    rules: {
      'n/prefer-node-protocol': 'error',
      'max-lines': ['warn', { max: 300, skipComments: true }],
      'max-lines-per-function': ['warn', { max: 60, skipComments: true }]
    }
  },
  {
    files: ['lib/**/*.js'],
    rules: {
      // The environment is read in one place, and a library writes to the console nowhere.
      'no-console': 'error',
      'no-restricted-properties': ['error', { object: 'process', property: 'env', message: 'Read the environment through lib/options.js.' }],
      'no-param-reassign': ['error', { props: false }]
    }
  },
  { files: ['test/**/*.js'], rules: { 'max-lines-per-function': 'off' } }
]
