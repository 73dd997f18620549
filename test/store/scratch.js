'use strict'

// Places for the store's tests to write to: a temporary directory, and a real file system of a given size.

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

function makeDirectory () {
  return fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-test-'))
}

/**
 * @param {import('node:test').TestContext} t
 * @returns {string} removed after the test
 */
function makeScratch (t) {
  const dir = makeDirectory()
  t.after(() => fs.rmSync(dir, { recursive: true, force: true }))
  return dir
}

/**
 * @param {import('node:test').TestContext} t
 * @returns {string} the same with a path that leaves room for the name of a Unix socket, which has about a hundred characters
 */
function makeShortScratch (t) {
  const dir = fs.mkdtempSync('/tmp/ls-')
  t.after(() => fs.rmSync(dir, { recursive: true, force: true }))
  return dir
}

/**
 * @param {import('node:test').TestContext} t
 * @param {string} options  of mount, e.g. 'size=64k'
 * @returns {string | null} null when this user or system cannot mount: the test is skipped then
 */
function mountScratch (t, options) {
  const dir = makeDirectory()
  const { status, stderr, error } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', dir])
  const isMounted = status === 0
  t.after(() => {
    if (isMounted) spawnSync('umount', [dir])
    fs.rmdirSync(dir)
  })
  if (!isMounted) t.skip(`cannot mount a tmpfs here: ${error?.message ?? String(stderr).trim()}`)
  return isMounted ? dir : null
}

/** @param {object} [facts] */
function artifact (facts) {
  return { kind: 'cpu', extension: 'cpuprofile', at: Date.now(), appName: 'shop', bytes: Buffer.from('{}'), ...facts }
}

/**
 * @param {string} dir  that applications share
 * @returns {string[]} paths of all files that captures left there
 */
function filesIn (dir) {
  const entries = fs.readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(name => path.basename(name) !== 'application.json')
  return entries.map(name => path.join(dir, name)).filter(file => !fs.lstatSync(file).isDirectory())
}

module.exports = { artifact, filesIn, makeDirectory, makeScratch, makeShortScratch, mountScratch }
