import { composeAlertId, composeCaseId } from '../../../core/domain/ids.ts'
import type { ChangeKind } from '../../../core/domain/change.ts'
import type { Database } from './database.ts'

/** How changes of a table are reported. */
interface WatchedTable {
  readonly table: string
  readonly kind: ChangeKind
  /** Columns whose updates are reported; absent: all. Empty: none. */
  readonly columns?: readonly string[]
  /** The organization's key, in SQL over `row`, the new or deleted row. */
  readonly organization: string
  /** Key of the reported row. Default: that of the row itself. */
  readonly key?: string
  /** Key of another row of the same kind that a new one changes. */
  readonly alsoNew?: string
  /** Restricts the rows, in SQL. */
  readonly when?: string
}

const own = 'row.organization_id'
const ofRun = '(SELECT organization_id FROM runs WHERE id = row.run_id)'
const none = 'NULL'

export const watchedTables: readonly WatchedTable[] = [
  {
    table: 'alerts',
    kind: 'alert',
    organization: own,
    columns: ['status', 'retry_count', 'investigator', 'case_id', 'completed_at', 'group_sequence'],
  },
  {
    table: 'runs',
    kind: 'run',
    organization: own,
    columns: ['status', 'started_at', 'ended_at', 'case_id', 'cancelled_at', 'output'],
    alsoNew: 'row.retry_of',
  },
  { table: 'journal', kind: 'run', organization: ofRun, key: 'row.run_id' },
  { table: 'failed_attempts', kind: 'run', organization: ofRun, key: 'row.run_id' },
  {
    table: 'cases',
    kind: 'case',
    organization: own,
    columns: ['revision', 'modified_at', 'alerts_deleted', 'runs_deleted'],
  },
  {
    table: 'case_entries',
    kind: 'case',
    organization: '(SELECT organization_id FROM cases WHERE id = row.case_id)',
    key: 'row.case_id',
  },
  {
    table: 'case_files',
    kind: 'case',
    columns: ['deleted_at'],
    organization: '(SELECT organization_id FROM cases WHERE id = row.case_id)',
    key: 'row.case_id',
  },
  {
    table: 'case_tasks',
    kind: 'case',
    organization: '(SELECT organization_id FROM cases WHERE id = row.case_id)',
    key: 'row.case_id',
  },
  { table: 'checkpoints', kind: 'checkpoint', organization: own },
  {
    table: 'checkpoint_answers',
    kind: 'checkpoint',
    organization: '(SELECT organization_id FROM checkpoints WHERE id = row.checkpoint_id)',
    key: 'row.checkpoint_id',
  },
  {
    table: 'containments',
    kind: 'containment',
    organization: own,
    columns: ['state', 'case_id', 'expires_at', 'note', 'action', 'state_seen', 'state_error', 'ended_by'],
  },
  { table: 'connections', kind: 'connection', organization: own },
  { table: 'playbooks', kind: 'playbook', organization: own },
  {
    table: 'organizations',
    kind: 'organization',
    organization: 'row.id',
    columns: ['name'],
  },
  { table: 'providers', kind: 'provider', organization: none },
  { table: 'facts', kind: 'engine', organization: none, key: '0', when: `row.name = 'paused'` },
  { table: 'api_keys', kind: 'key', organization: none, columns: ['revoked_at', 'rotated_at', 'owner_id'] },
  {
    table: 'accounts',
    kind: 'account',
    organization: none,
    columns: ['email', 'name', 'joined_at', 'disabled_at', 'revision'],
  },
  { table: 'sessions', kind: 'session', organization: none, columns: [] },
  {
    table: 'audit',
    kind: 'audit',
    organization: '(SELECT id FROM organizations WHERE uuid = row.organization_uuid)',
  },
]

/**
 * Temporary triggers of this connection, which leave the file unchanged. `note_change` is a function of the
 * connection.
 */
export function createTriggers(database: Database): void {
  for (const [name, event, watched] of triggers()) {
    const row = event === 'DELETE' ? 'OLD' : 'NEW'
    const inRow = (sql: string): string => sql.replaceAll(/\brow\b/g, row)
    const { kind, organization, key = 'row.id', alsoNew, when, columns } = watched
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

export function dropTriggers(database: Database): void {
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

const selectAlertId = `
  SELECT o.code, p.code AS provider, t.sequence FROM alerts t
    CROSS JOIN organizations o ON o.id = t.organization_id CROSS JOIN providers p ON p.id = t.provider_id WHERE t.id = ?`
const selectCaseId =
  'SELECT o.code, t.number FROM cases t CROSS JOIN organizations o ON o.id = t.organization_id WHERE t.id = ?'

/** The row's id in the API; undefined: deleted, or it has none. */
export function publicId(database: Database, kind: ChangeKind, key: number): string | undefined {
  if (kind === 'alert') {
    const row = database.get<{ code: string; provider: string; sequence: number }>(selectAlertId, key)
    return row && composeAlertId(row.code, row.provider, row.sequence)
  }
  if (kind === 'case') {
    const row = database.get<{ code: string; number: number }>(selectCaseId, key)
    return row && composeCaseId(row.code, row.number)
  }
  const select = idColumns[kind]
  return select && database.get<{ id: string }>(`SELECT ${select} WHERE t.id = ?`, key)?.id
}

const idColumns: Partial<Readonly<Record<ChangeKind, string>>> = {
  run: 't.uuid AS id FROM runs t',
  checkpoint: 't.public_id AS id FROM checkpoints t',
  containment: 't.uuid AS id FROM containments t',
  connection: 't.uuid AS id FROM connections t',
  playbook: 't.name AS id FROM playbooks t',
  organization: 't.code AS id FROM organizations t',
  provider: 't.code AS id FROM providers t',
  key: 't.public_id AS id FROM api_keys t',
  account: 't.uuid AS id FROM accounts t',
}
