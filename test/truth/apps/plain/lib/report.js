'use strict'

const { Readable, Transform, pipeline } = require('node:stream')

class Totals extends Transform {
  constructor () {
    super({ writableObjectMode: true })
    this.total = 0
  }

  _transform (rows, encoding, callback) {
    for (let row = 0; row < rows; row++) {
      this.total += Math.exp(row % 13) // truth: transform of a plain reply
    }
    callback(null, `${this.total}\n`)
  }
}

function streamReport (rows, res) {
  pipeline(Readable.from([rows, 10, 10]), new Totals(), res, () => {})
}

module.exports = { streamReport }
