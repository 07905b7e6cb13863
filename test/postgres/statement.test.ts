import { expect } from 'chai'
import { prepared } from '../../server/postgres/driver/statement.ts'

describe('statements for PostgreSQL', () => {
  const translated: Readonly<Record<string, readonly [string, string]>> = {
    'numbers placeholders': [
      'SELECT ? WHERE a = ? AND b IN (?, ?)',
      'SELECT $1 WHERE a = $2 AND b IN ($3, $4)',
    ],
    'leaves literals alone': [`SELECT '?', 'it''s ?' WHERE a = ?`, `SELECT '?', 'it''s ?' WHERE a = $1`],
    'leaves quoted names alone': [`SELECT a AS "why?" WHERE b = ?`, `SELECT a AS "why?" WHERE b = $1`],
    'leaves comments alone': [
      'SELECT 1 -- why?\n/* a ? */ WHERE b = ?',
      'SELECT 1 -- why?\n/* a ? */ WHERE b = $1',
    ],
    'joins without the order of SQLite': [
      `SELECT 'CROSS JOIN' FROM a CROSS JOIN b ON b.x = a.x`,
      `SELECT 'CROSS JOIN' FROM a JOIN b ON b.x = a.x`,
    ],
  }
  for (const [title, [given, sql]] of Object.entries(translated)) {
    it(title, () => expect(prepared(given).sql).to.equal(sql))
  }

  it('prepares a text once, under one name', () => {
    expect(prepared('SELECT 1 AS once')).to.equal(prepared('SELECT 1 AS once'))
    expect(prepared('SELECT 1 AS once').name).not.to.equal(prepared('SELECT 2 AS once').name)
  })
})
