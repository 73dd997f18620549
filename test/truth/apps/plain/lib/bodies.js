'use strict'

const { pbkdf2Sync } = require('node:crypto')
const { text } = require('node:stream/consumers')

function readOrder (req, done) {
  let body = ''
  req.setEncoding('utf8')
  req.on('data', chunk => { body += chunk })
  req.on('end', () => {
    const { rows } = JSON.parse(body) // truth: end of a plain body
    done(rows.length)
  })
}

function readUpload (req, rounds, done) {
  let sum = ''
  req.on('data', function sealChunk (chunk) {
    const sealed = pbkdf2Sync(chunk, 'seal', rounds, 32, 'sha512') // truth: data of a plain body
    sum += sealed.toString('hex')
  })
  req.on('end', () => done(sum))
}

async function readNotes (req) {
  const body = await text(req)
  const blankLines = findBlankLines(body)
  return blankLines.length
}

function findBlankLines (body) {
  const lines = body.split('\n')
  return lines.filter(line => /^(\s+)*\S?$/.exec(line.slice(0, 26)) !== null) // truth: expression after a plain body
}

module.exports = { readOrder, readUpload, readNotes }
