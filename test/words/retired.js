'use strict'

// The list of retired words, each with the word to use instead. A word that some folders still use has them under `exempt`.

/** @type {readonly { word: RegExp, use: string, exempt?: readonly string[] }[]} */
const RETIRED = Object.freeze([
  { word: /coalescer/i, use: 'single-flight' },
  { word: /numbered[- ]?states/i, use: 'versioned-file' },
  { word: /toWritten|WrittenPlaces?\b|written-(?:places|names)/, use: 'toOriginal, original position' },
  { word: /everyByTimer/, use: 'intervalByTimer' },
  { word: /sides-worker|loadSide\b/, use: 'base-snapshots-worker, loadBaseSnapshot' },
  { word: /(?:new|describe)Occasion|rules\/occasion\b/, use: 'firing' },
  { word: /createActing|rules\/acting\b|\bACTORS\b/, use: 'createActionRunner, run-actions, ACTION_HANDLERS' },
  { word: /findings\/(?:rules|words|spots)\b|HOT_RULES|findSpots\b/, use: 'findings/detectors, format-text, hot-spots' },
  { word: /\brule-words\b/, use: 'format-rule' },
  { word: /fault of ours/i, use: 'internal error' },
  { word: /utilisation/i, use: 'utilization', exempt: ['lib/api/pm2/', 'docs/pm2.md', 'test/pm2/', 'test/frameworks/'] }, // the name of a figure of PM2
  { word: /more to do than processors/i, use: 'CPU contention' },
  { word: /no rule found a loss/i, use: 'no significant problem found' },
  { word: /colour/i, use: 'color' },
  { word: /time at work/i, use: 'busy time' },
  { word: /\btell(?:Whole|Found)\b|\binWords\b|frames\/words\b/, use: 'describeCoverage, describeMatches, formatEvidence, frame-text' },
  { word: /noise of V8/i, use: 'V8 internals' }
])

module.exports = { RETIRED }
