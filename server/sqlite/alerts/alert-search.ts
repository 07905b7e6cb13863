import { composeAlertId } from '../../../core/domain/ids.ts'
import type { Database } from '../database/database.ts'
import type { Condition } from '../database/paging.ts'

/** Characters of a content that are searched: what a sender writes must not decide how long the index works. */
const searchedCharacters = 65_536
const maxWords = 20

/** Indexed at a time: what takes a few milliseconds. */
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

/** How many alerts are stored, at most, that no search finds yet. */
export function countUnindexed(database: Database): number {
  const sql = `SELECT ifnull(max(id), 0) - ${indexedTo} AS count FROM alerts`
  return Math.max(0, database.one<{ count: number }>(sql).count)
}

/** The next ones, in the order in which they were stored. Inside of a write: the index and how far it reaches never disagree. */
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
 * The alerts with all of these words, in any order and letter case, among those that are indexed. A word with punctuation, such as
 * an address, is found where its parts follow one another; one that ends with `*` is a beginning.
 */
function hasWords(text: string): Condition {
  const words = text.trim().split(/\s+/).slice(0, maxWords)
  return { sql: 's.alert_search MATCH ?', values: [words.map(toPhrase).join(' AND ')] }
}

/** Alerts with the index of their words, `s`, by whose keys they are sorted: it tells those that fit one by one, newest first. */
const found = 'alert_search s CROSS JOIN alerts t ON t.id = s.rowid'

/** What a list of alerts with these words is made of. */
export function searchQuery(select: string, text: string, others: readonly Condition[]) {
  return {
    select: select.replace('FROM alerts t', `FROM ${found}`),
    table: others.length === 0 ? 'alert_search s' : found,
    sized: 'alerts t',
    key: 's.rowid',
    conditions: [...others, hasWords(text)],
  }
}

/** Quoted, nothing in it is an operator of the search language. */
function toPhrase(word: string): string {
  const isBeginning = word.endsWith('*')
  return `"${word.toWellFormed().replaceAll('"', '""').replaceAll('\0', ' ')}"${isBeginning ? '*' : ''}`
}
