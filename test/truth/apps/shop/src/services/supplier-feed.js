'use strict'

const { XMLParser } = require('fast-xml-parser')

const parser = new XMLParser({ ignoreAttributes: false })

function readFeed (xml) {
  const { feed } = parser.parse(xml) // truth: fast-xml-parser
  return feed.article
}

module.exports = { readFeed }
