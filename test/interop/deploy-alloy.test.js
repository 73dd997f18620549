'use strict'

// The configuration for Alloy in deploy/, as Alloy's own parser reads it. What its components take is not known to that.

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { test } = require('node:test')
const { fileOf } = require('../deploy/deployed')
const { binaryOf, skipWithout } = require('./servers/servers')

const skip = skipWithout('alloy-syntax')

function parse (...files) {
  return spawnSync(binaryOf('alloy-syntax'), files, { encoding: 'utf8', timeout: 30_000 })
}

test('Alloy reads the configuration', { skip }, () => {
  const { status, stderr } = parse(fileOf('alloy', 'config.alloy'))
  assert.equal(status, 0, stderr)
})

test('and would refuse one that is none', { skip }, () => {
  assert.notEqual(parse(fileOf('parca', 'parca.yml')).status, 0)
})
