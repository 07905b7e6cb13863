import { watchedTables, type WatchedTable } from '../../sql/database/changes.ts'
import type { SqliteConnection } from './connection.ts'

/** Stands for the organization of the row. */
export const ownOrganization = '?'

/**
 * Temporary triggers of this connection, which leave the file unchanged. `note_change` is a function of the
 * connection.
 */
export function createTriggers(database: SqliteConnection): void {
  for (const [name, event, watched] of triggers()) {
    const row = event === 'DELETE' ? 'OLD' : 'NEW'
    const inRow = (sql: string): string => sql.replaceAll(/\brow\b/g, row)
    const { kind, organization = `'${ownOrganization}'`, key = 'row.id', alsoNew, when, columns } = watched
    const of = event === 'UPDATE' && columns !== undefined ? ` OF ${columns.join(', ')}` : ''
    const also =
      event === 'INSERT' && alsoNew !== undefined
        ? `SELECT note_change('${kind}', ${inRow(organization)}, ${inRow(alsoNew)}) WHERE ${inRow(alsoNew)} IS NOT NULL;`
        : ''
    database.script(
      `CREATE TEMP TRIGGER ${name} AFTER ${event}${of} ON main.${watched.table} ${when === undefined ? '' : `WHEN ${inRow(when)}`}
       BEGIN SELECT note_change('${kind}', ${inRow(organization)}, ${inRow(key)}); ${also} END`,
    )
  }
}

export function dropTriggers(database: SqliteConnection): void {
  for (const [name] of triggers()) database.script(`DROP TRIGGER temp.${name}`)
}

function* triggers(): Generator<readonly [name: string, event: string, watched: WatchedTable]> {
  for (const watched of watchedTables) {
    for (const event of ['INSERT', 'UPDATE', 'DELETE']) {
      if (event === 'UPDATE' && watched.columns?.length === 0) continue
      yield [`changed_${watched.table}_${event.toLowerCase()}`, event, watched]
    }
  }
}
