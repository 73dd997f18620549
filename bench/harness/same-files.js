'use strict'

// As many files with the same text as loopscope loads on the main thread, of which nothing is run: what Node.js takes to find, read and parse
// them stands beside what they do.

const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')

const ROOT = path.join(__dirname, '../..')
const LIST = 'process.stdout.write(JSON.stringify(Object.keys(require.cache))); process.exit()'

/**
 * @param {string} folder
 * @param {string} start  what loads them, in the folder of the package
 * @returns {{ index: string, count: number }} index: what to require for all of them
 */
function writeSameFiles (folder, start) {
  const lib = path.join(ROOT, 'lib') + path.sep
  /** @type {string[]} */
  const files = JSON.parse(execFileSync(process.execPath, ['-e', `${start}; ${LIST}`], { cwd: ROOT, encoding: 'utf8' }))
  const own = files.filter(file => file.startsWith(lib))
  for (const file of own) {
    const copy = path.join(folder, path.relative(lib, file))
    fs.mkdirSync(path.dirname(copy), { recursive: true })
    fs.writeFileSync(copy, `module.exports = function () {\n${fs.readFileSync(file, 'utf8')}\n}\n`)
  }
  const index = path.join(folder, 'all.js')
  fs.writeFileSync(index, own.map(file => `require('./${path.relative(lib, file)}')\n`).join(''))
  return { index, count: own.length }
}

module.exports = { writeSameFiles }
