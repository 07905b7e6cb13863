import { composeAlertId, composeCaseId } from '../../../core/domain/ids.ts'
import type { ChangeKind } from '../../../core/domain/change.ts'
import type { Database } from './database.ts'
import type { Work } from './work.ts'

/** How changes of a table are reported. */
export interface WatchedTable {
  readonly table: string
  readonly kind: ChangeKind
  /** Columns whose updates are reported; absent: all. Empty: none. */
  readonly columns?: readonly string[]
  /** The organization's key, in SQL over `row`, the new or deleted row. Absent: that of the reported row, which is read when it is told. */
  readonly organization?: string
  /** Key of the reported row. Default: that of the row itself. */
  readonly key?: string
  /** Key of another row of the same kind that a new one changes. */
  readonly alsoNew?: string
  /** Restricts the rows, in SQL. */
  readonly when?: string
}

const own = 'row.organization_id'
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
  { table: 'journal', kind: 'run', key: 'row.run_id' },
  { table: 'failed_attempts', kind: 'run', key: 'row.run_id' },
  {
    table: 'cases',
    kind: 'case',
    organization: own,
    columns: ['revision', 'modified_at', 'alerts_deleted', 'runs_deleted'],
  },
  {
    table: 'case_entries',
    kind: 'case',
    key: 'row.case_id',
  },
  {
    table: 'case_files',
    kind: 'case',
    columns: ['deleted_at'],
    key: 'row.case_id',
  },
  {
    table: 'case_tasks',
    kind: 'case',
    key: 'row.case_id',
  },
  { table: 'checkpoints', kind: 'checkpoint', organization: own },
  {
    table: 'checkpoint_answers',
    kind: 'checkpoint',
    key: 'row.checkpoint_id',
  },
  {
    table: 'containments',
    kind: 'containment',
    organization: own,
    columns: ['state', 'case_id', 'expires_at', 'note', 'action', 'state_seen', 'state_error', 'ended_by'],
  },
  {
    table: 'notifications',
    kind: 'notification',
    organization: own,
    columns: ['at', 'told'],
    when: 'row.told = 1',
  },
  // Other pages of the person count anew.
  { table: 'notification_reads', kind: 'notification', organization: none, key: '0' },
  { table: 'notification_people', kind: 'notification', organization: none, key: '0' },
  { table: 'connections', kind: 'connection', organization: own },
  { table: 'playbooks', kind: 'playbook', organization: own },
  {
    table: 'playbook_drafts',
    kind: 'playbook',
    organization: own,
    key: 'coalesce((SELECT id FROM playbooks WHERE name = row.name AND organization_id IS NOT DISTINCT FROM row.organization_id AND newest = 1), 0)',
  },
  {
    table: 'organizations',
    kind: 'organization',
    organization: 'row.id',
    columns: ['name'],
  },
  { table: 'providers', kind: 'provider', organization: none },
  { table: 'facts', kind: 'engine', organization: none, key: '0', when: `row.name = 'paused'` },
  {
    table: 'api_keys',
    kind: 'key',
    organization: none,
    columns: ['revoked_at', 'rotated_at', 'owner_id', 'allowed_addresses'],
  },
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

/** A change of a row, by the keys of its organization and of itself. */
export interface NotedChange {
  readonly kind: ChangeKind
  /** Null: it belongs to none. Undefined: that of the row. */
  readonly organization: number | null | undefined
  readonly key: number
}

/** Tables of the kinds whose organization is that of the row. */
const placedIn: Partial<Readonly<Record<ChangeKind, string>>> = {
  run: 'runs',
  case: 'cases',
  checkpoint: 'checkpoints',
}

export interface PlacedChange extends NotedChange {
  readonly organization: number | null
}

/** The changes of each row once, with their organizations. A row that is gone is left out, since its deletion was noted with the organization. */
export function* placedChanges(
  database: Database,
  noted: readonly NotedChange[],
): Work<readonly PlacedChange[]> {
  const places = database.organizationsOfRows
  const once = new Map<string, NotedChange>()
  for (const change of noted) {
    const { kind, key, organization } = change
    const name = `${kind} ${key}`
    if (organization === undefined || organization === null) {
      if (!once.has(name)) once.set(name, change)
    } else {
      once.set(name, change)
      if (kind in placedIn) places.set(name, organization)
    }
  }
  for (const [name, change] of once)
    if (change.organization === undefined) once.set(name, { ...change, organization: places.get(name) })
  const unplaced = [...once.values()].filter(({ organization }) => organization === undefined)
  for (const [kind, changes] of Map.groupBy(unplaced, (change) => change.kind)) {
    const rows = yield* database.all<{ key: number; organization: number }>(
      `SELECT id AS key, organization_id AS organization FROM ${placedIn[kind]} WHERE id IN (SELECT CAST(value AS bigint) FROM json_each(?))`,
      JSON.stringify(changes.map(({ key }) => key)),
    )
    for (const { key, organization } of rows) {
      once.set(`${kind} ${key}`, { kind, key, organization })
      places.set(`${kind} ${key}`, organization)
    }
  }
  return [...once.values()].filter(isPlaced)
}

const isPlaced = (change: NotedChange): change is PlacedChange => change.organization !== undefined

/** Ids in the API by row key. Rows that were deleted, and kinds of which there is only one, have none. */
export function* publicIds(
  database: Database,
  kind: ChangeKind,
  keys: readonly number[],
): Work<ReadonlyMap<number, string>> {
  const select = idColumns[kind]
  if (select === undefined) return new Map()
  const rows = yield* database.all<IdRow>(
    `SELECT t.id AS key, ${select} WHERE t.id IN (SELECT CAST(value AS bigint) FROM json_each(?))`,
    JSON.stringify(keys),
  )
  return new Map(rows.map(({ key, id, code, provider }) => [key, composeId(kind, id, code, provider)]))
}

interface IdRow {
  readonly key: number
  readonly id: string | number
  readonly code?: string
  readonly provider?: string
}

function composeId(kind: ChangeKind, id: string | number, code = '', provider = ''): string {
  if (kind === 'alert') return composeAlertId(code, provider, Number(id))
  return kind === 'case' ? composeCaseId(code, Number(id)) : String(id)
}

const idColumns: Partial<Readonly<Record<ChangeKind, string>>> = {
  alert: `o.code, p.code AS provider, t.sequence AS id FROM alerts t JOIN organizations o ON o.id = t.organization_id
    JOIN providers p ON p.id = t.provider_id`,
  case: 'o.code, t.number AS id FROM cases t JOIN organizations o ON o.id = t.organization_id',
  run: 't.uuid AS id FROM runs t',
  checkpoint: 't.public_id AS id FROM checkpoints t',
  containment: 't.uuid AS id FROM containments t',
  notification: 't.uuid AS id FROM notifications t',
  connection: 't.uuid AS id FROM connections t',
  playbook: 't.name AS id FROM playbooks t',
  organization: 't.code AS id FROM organizations t',
  provider: 't.code AS id FROM providers t',
  key: 't.public_id AS id FROM api_keys t',
  account: 't.uuid AS id FROM accounts t',
}
