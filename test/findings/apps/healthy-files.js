'use strict'

const fs = require('node:fs')

module.exports = (request, response) => { fs.createReadStream(__filename).pipe(response) }
