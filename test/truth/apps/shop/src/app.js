'use strict'

const express = require('express')
const diagnostics = require('loopscope')
const path = require('node:path')

const admin = require('./admin')
const partner = require('./partner')
const account = require('./routes/account')
const catalogue = require('./routes/catalogue')
const files = require('./routes/files')
const orders = require('./routes/orders')
const pages = require('./routes/pages')
const reports = require('./routes/reports')
const suppliers = require('./routes/suppliers')

function createApp () {
  const app = express()
  app.set('views', path.join(__dirname, 'views'))
  app.set('view engine', 'ejs')
  app.use(diagnostics())
  app.use(express.json({ limit: '320mb' }))
  app.use(express.text({ type: ['text/*', 'application/xml'], limit: '320mb' }))
  app.use('/api/account', account)
  app.use('/api/catalogue', catalogue)
  app.use('/api/orders', orders)
  app.use('/api/reports', reports)
  app.use('/api/suppliers', suppliers)
  app.use('/files', files)
  app.use('/pages', pages)
  app.use('/admin', admin)
  app.use('/partner', partner)
  return app
}

module.exports = { createApp }
