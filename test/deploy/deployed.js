'use strict'

// The files of deploy/, as the tests read them.

const fs = require('node:fs')
const path = require('node:path')
const { parseAllDocuments } = require('yaml')

const DEPLOY = path.join(__dirname, '../../deploy')

const fileOf = (...names) => path.join(DEPLOY, ...names)
const read = (...names) => fs.readFileSync(fileOf(...names), 'utf8')

/** All documents of a YAML file. */
function readYaml (...names) {
  return parseAllDocuments(read(...names)).map(document => {
    if (document.errors.length > 0) throw document.errors[0]
    return document.toJS()
  })
}

module.exports = { fileOf, read, readYaml }
