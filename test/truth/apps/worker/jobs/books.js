'use strict'

const initSqlJs = require('sql.js')

const TABLE = 'CREATE TABLE entries (id INTEGER PRIMARY KEY, account INTEGER, cents INTEGER)'
const FILL = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
  INSERT INTO entries SELECT i, i % 50, i * 7 FROM n`
const MATCHES = 'SELECT count(*) AS pairs FROM entries a, entries b WHERE a.id <= ? AND (a.cents * b.cents) % 11 = 3'

async function openBooks () {
  const { Database } = await initSqlJs()
  const db = new Database()
  db.run(TABLE)
  db.run(FILL)
  const native = openNative()
  return {
    async matchBooks (rows) {
      const result = db.exec(MATCHES, [rows]) // truth: sql.js
      return result[0].values
    },
    async matchNatively (rows) {
      const statement = native.prepare(MATCHES)
      const [row] = statement.all(rows) // truth: node:sqlite
      return row
    }
  }
}

function openNative () {
  const sqlite = process.getBuiltinModule('node:sqlite')
  if (sqlite === undefined) return null
  const db = new sqlite.DatabaseSync(':memory:')
  db.exec(TABLE)
  db.exec(FILL)
  return db
}

module.exports = { openBooks }
