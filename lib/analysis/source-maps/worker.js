'use strict'

// The thread of one question about source maps.

const { parentPort, workerData } = require('node:worker_threads')
const { answerQuestion } = require('./answer')

parentPort?.postMessage(answerQuestion(workerData.sourceMapQuestion))
