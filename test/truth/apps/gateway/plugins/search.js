'use strict'

const { rankTitles } = require('../services/ranking')

async function search (app) {
  app.get('/search/:term', async request => {
    await new Promise(resolve => setTimeout(resolve, 1))
    return { best: rankTitles(request.params.term, Number(request.query.titles)) }
  })
}

module.exports = search
