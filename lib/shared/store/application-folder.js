'use strict'

// The folder of one application among those that share a directory, so that none sees, counts or removes what is another's.
// An application is a name and a root folder: the name alone is given freely, and twice.

const path = require('node:path')
const { sanitizeAppName } = require('./file-name')

/** @typedef {{ appName: string, appRoot: string }} Application */

const KEY_DIGITS = 12 // 48 bits: applications of one user do not meet by chance
// In it, what its rules did: it is kept when everything else is gone, for the day that limits look back.
const RULES_FOLDER = 'rules'
const FOLDER = /^[a-z0-9_]+-[0-9a-f]{12}$/

/**
 * @param {string} dir  that they share
 * @param {Application} application
 */
function applicationFolder (dir, { appName, appRoot }) {
  const { createHash } = process.getBuiltinModule('node:crypto') // loaded by who has a folder
  const key = createHash('sha256').update(JSON.stringify([appName, appRoot])).digest('hex').slice(0, KEY_DIGITS)
  return path.join(path.resolve(dir), `${sanitizeAppName(appName)}-${key}`)
}

/** @param {string} name  of a file or folder in the directory */
function isApplicationFolder (name) {
  return FOLDER.test(name)
}

module.exports = { RULES_FOLDER, applicationFolder, isApplicationFolder }
