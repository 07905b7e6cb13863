import type { Alert } from '../../core/domain/alert.ts'
import type { Database } from './database.ts'
import type { Condition } from './paging.ts'

/** Characters of a content that are searched: what a sender writes must not decide how long the index works. */
const searchedCharacters = 65_536
const maxWords = 20

/** In the transaction of the alert itself. */
export function indexAlert(database: Database, row: number, { id, type, content }: Alert): void {
  const text = `${id} ${type ?? ''} ${content.slice(0, searchedCharacters)}`
  database.run('INSERT INTO alert_search (rowid, text) VALUES (?, ?)', row, text.toWellFormed())
}

/**
 * The alerts with all of these words, in any order and letter case. A word with punctuation, such as an address, is found where its
 * parts follow one another; one that ends with `*` is a beginning.
 */
export function hasWords(column: string, text: string): Condition {
  const words = text.trim().split(/\s+/).slice(0, maxWords)
  return {
    sql: `${column} IN (SELECT rowid FROM alert_search WHERE alert_search MATCH ?)`,
    values: [words.map(toPhrase).join(' AND ')],
  }
}

/** Quoted, nothing in it is an operator of the search language. */
function toPhrase(word: string): string {
  const isBeginning = word.endsWith('*')
  return `"${word.toWellFormed().replaceAll('"', '""').replaceAll('\0', ' ')}"${isBeginning ? '*' : ''}`
}
