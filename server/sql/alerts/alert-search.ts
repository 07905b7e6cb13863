import type { Work } from '../database/work.ts'
import { composeAlertId } from '../../../core/domain/ids.ts'
import type { Database } from '../database/database.ts'
import type { Condition } from '../database/paging.ts'

/** Characters of a content that are indexed, so that senders cannot make the index slow. */
const searchedCharacters = 65_536

/** Maximum of one batch, which takes a few milliseconds. */
const batchAlerts = 50
const batchCharacters = 256 * 1_024

interface NextRow {
  readonly id: number
  readonly bytes: number
}

interface SearchedRow {
  readonly id: number
  readonly organizationCode: string
  readonly provider: string
  readonly sequence: number
  readonly type: string | null
  readonly content: string
}

const indexedTo = `(SELECT CAST(value AS bigint) FROM facts WHERE name = 'alerts_indexed_to')`

/** Upper bound of the number of alerts up to a key that are not indexed yet. */
export function* countUnindexed(database: Database, upTo: number): Work<number> {
  const { newest, indexed } = yield* database.one<{ newest: number; indexed: number }>(
    `SELECT (SELECT coalesce(max(id), 0) FROM alerts) AS newest, ${indexedTo} AS indexed`,
  )
  return Math.max(0, Math.min(newest, upTo) - indexed)
}

/**
 * Inside of a write that no other write of the index overlaps: indexes the next alerts and moves the mark of the index.
 *
 * @param upTo a key below which no alert is stored later
 */
export function* indexNextAlerts(database: Database, upTo: number): Work<void> {
  const last = yield* lastOfBatch(database, upTo)
  if (last === undefined) return
  const rows = yield* database.all<SearchedRow>(
    `SELECT t.id, o.code AS "organizationCode", p.code AS provider, t.sequence, t.type,
       substr(b.content, 1, ${searchedCharacters}) AS content
     FROM alerts t
       CROSS JOIN organizations o ON o.id = t.organization_id
       CROSS JOIN providers p ON p.id = t.provider_id
       CROSS JOIN alert_contents b ON b.alert_id = t.id
     WHERE t.id > ${indexedTo} AND t.id <= ? ORDER BY t.id`,
    last,
  )
  const alerts = rows.map((row) => ({ id: row.id, text: searchedText(row) }))
  for (const { sql, values } of database.dialect.indexAlerts(alerts)) yield* database.run(sql, ...values)
  yield* database.run(`UPDATE facts SET value = ? WHERE name = 'alerts_indexed_to'`, last)
}

/** The databases know the size without reading the content. */
function* lastOfBatch(database: Database, upTo: number): Work<number | undefined> {
  const next = yield* database.all<NextRow>(
    `SELECT alert_id AS id, octet_length(content) AS bytes FROM alert_contents
     WHERE alert_id > ${indexedTo} AND alert_id <= ? ORDER BY alert_id LIMIT ${batchAlerts}`,
    upTo,
  )
  let characters = 0
  const end = next.findIndex(
    ({ bytes }) => (characters += Math.min(bytes, searchedCharacters)) >= batchCharacters,
  )
  return next.at(end)?.id
}

function searchedText({ organizationCode, provider, sequence, type, content }: SearchedRow): string {
  const id = composeAlertId(organizationCode, provider, sequence)
  return `${id} ${type ?? ''} ${content.slice(0, searchedCharacters)}`.toWellFormed()
}

/** Alerts joined with the index `s`, sorted by its keys, so that SQLite finds the newest matches first. */
const found = 'alert_search s CROSS JOIN alerts t ON t.id = s.rowid'

/** The parts of a list query for these words. */
export function searchQuery(
  { dialect }: Database,
  select: string,
  words: string,
  others: readonly Condition[],
) {
  return {
    select: select.replace('FROM alerts t', `FROM ${found}`),
    table: others.length === 0 ? 'alert_search s' : found,
    sized: 'alerts t',
    key: 's.rowid',
    conditions: [...others, dialect.searchCondition(words)],
  }
}
