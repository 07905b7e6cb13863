import { composeAlertId } from '../../../core/domain/ids.ts'
import type { Database } from '../database/database.ts'
import type { Condition } from '../database/paging.ts'

/** Characters of a content that are indexed, so that senders cannot make the index slow. */
const searchedCharacters = 65_536
const maxWords = 20

/** Maximum of one batch, which takes a few milliseconds. */
const batchAlerts = 50
const batchCharacters = 256 * 1_024

interface SearchedRow {
  readonly id: number
  readonly organizationCode: string
  readonly provider: string
  readonly sequence: number
  readonly type: string | null
  readonly content: string
}

const indexedTo = `(SELECT value FROM facts WHERE name = 'alerts_indexed_to')`

/** Upper bound of the number of alerts that are not indexed yet. */
export function countUnindexed(database: Database): number {
  const sql = `SELECT ifnull(max(id), 0) - ${indexedTo} AS count FROM alerts`
  return Math.max(0, database.one<{ count: number }>(sql).count)
}

/** Inside of a write: indexes the next alerts and moves the mark of the index. */
export function indexNextAlerts(database: Database): void {
  let last: SearchedRow | undefined
  for (let alerts = 0, characters = 0; alerts < batchAlerts && characters < batchCharacters; alerts++) {
    const next = nextUnindexed(database, last?.id)
    if (next === undefined) break
    const text = searchedText(next)
    database.run('INSERT INTO alert_search (rowid, text) VALUES (?, ?)', next.id, text)
    characters += text.length
    last = next
  }
  if (last) database.run(`UPDATE facts SET value = ? WHERE name = 'alerts_indexed_to'`, last.id)
}

function nextUnindexed(database: Database, after: number | undefined): SearchedRow | undefined {
  return database.get<SearchedRow>(
    `SELECT t.id, o.code AS organizationCode, p.code AS provider, t.sequence, t.type, b.content
     FROM alerts t
       CROSS JOIN organizations o ON o.id = t.organization_id
       CROSS JOIN providers p ON p.id = t.provider_id
       CROSS JOIN alert_contents b ON b.alert_id = t.id
     WHERE t.id > ifnull(?, ${indexedTo}) ORDER BY t.id LIMIT 1`,
    after ?? null,
  )
}

function searchedText({ organizationCode, provider, sequence, type, content }: SearchedRow): string {
  const id = composeAlertId(organizationCode, provider, sequence)
  return `${id} ${type ?? ''} ${content.slice(0, searchedCharacters)}`.toWellFormed()
}

/**
 * Indexed alerts that contain all words, in any order and case. A word with punctuation, such as an address, matches its parts in
 * sequence; a word that ends with `*` matches beginnings.
 */
function hasWords(text: string): Condition {
  const words = text.trim().split(/\s+/).slice(0, maxWords)
  return { sql: 's.alert_search MATCH ?', values: [words.map(toPhrase).join(' AND ')] }
}

/** Alerts joined with the index `s`, sorted by its keys, so that SQLite finds the newest matches first. */
const found = 'alert_search s CROSS JOIN alerts t ON t.id = s.rowid'

/** The parts of a list query for these words. */
export function searchQuery(select: string, text: string, others: readonly Condition[]) {
  return {
    select: select.replace('FROM alerts t', `FROM ${found}`),
    table: others.length === 0 ? 'alert_search s' : found,
    sized: 'alerts t',
    key: 's.rowid',
    conditions: [...others, hasWords(text)],
  }
}

/** Quotes a word, so that nothing in it is an operator of the search language. */
function toPhrase(word: string): string {
  const isBeginning = word.endsWith('*')
  return `"${word.toWellFormed().replaceAll('"', '""').replaceAll('\0', ' ')}"${isBeginning ? '*' : ''}`
}
