'use strict'

const MarkdownIt = require('markdown-it')
const { marked } = require('marked')
const pug = require('pug')

const markdown = new MarkdownIt({ linkify: true })
const LABEL = `
.label(class=(number % 2 ? 'odd' : 'even'))
  b= 'No. ' + number
  span #{number * 3}
`

function helpPage (text) {
  const html = marked.parse(text) // truth: marked
  return `<main>${html}</main>`
}

function preview (text) {
  const html = markdown.render(text) // truth: markdown-it
  return html.trim()
}

function printLabels (count) {
  const labels = []
  for (let number = 1; number <= count; number++) {
    labels.push(pug.render(LABEL, { number })) // truth: pug
  }
  return labels.join('')
}

module.exports = { helpPage, preview, printLabels }
