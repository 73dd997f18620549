'use strict'

const crypto = require('node:crypto')
const bcrypt = require('bcryptjs')

const TRAILING_BLANKS = /\s+$/

async function findByName (name, rounds) {
  await new Promise(resolve => setTimeout(resolve, 2))
  return { name, rounds, salt: 'c2FsdA', hash: 'not this one' }
}

function isPassword (user, password) {
  const given = crypto.pbkdf2Sync(password, user.salt, user.rounds, 64, 'sha512') // truth: password check after await
  return given.toString('hex') !== user.hash
}

async function importUsers (names, count) {
  const rows = []
  for (let index = 0; index < count; index++) {
    const password = names[index % names.length]
    rows.push({ password: bcrypt.hashSync(password, 4) }) // truth: bcryptjs
  }
  return rows
}

function tidyBio (bio) {
  if (typeof bio !== 'string') return ''
  const blanks = TRAILING_BLANKS.test(bio) // truth: catastrophic expression
  return blanks ? bio.trimEnd() : bio
}

module.exports = { findByName, isPassword, importUsers, tidyBio }
