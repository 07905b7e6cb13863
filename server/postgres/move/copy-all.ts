import type { AuditVerdict } from '../../../core/audit/audit-chain.ts'
import { copyTable, type TableCopy } from './copy-table.ts'
import { countRows } from './rows.ts'
import type { CopySide } from './sides.ts'
import type { CopiedTable } from './tables.ts'

/** What there is to do, before anything is copied. */
export interface MigrationPlan {
  readonly rows: number
  /** Rows that the copy has already, which are only compared. */
  readonly present: number
  /** Size of the original. */
  readonly bytes: number
}

/** Called while a migration goes on. */
export interface MigrationProgress {
  onPlan(plan: MigrationPlan): void
  /** The table is copied when this is done. */
  onTable(name: string): void | Promise<void>
  onRows(rows: number, isWritten: boolean): void
  /** Something other than rows, such as an index. */
  onStep(what: string): void
}

/** The audit log of the copy; see `AuditVerdict`. */
export interface MigratedAudit extends Pick<AuditVerdict, 'entries' | 'broken'> {
  /** Of the last unchanged entry. */
  readonly hash: string | null
}

export interface MigrationSummary {
  /** Places of both databases, for people. */
  readonly from: string
  readonly to: string
  readonly tables: readonly TableCopy[]
  readonly rows: number
  readonly written: number
  readonly bytes: number
  /** Undefined after a preparation. */
  readonly audit: MigratedAudit | undefined
  /** Time in which the original could not be changed; 0 for a preparation. */
  readonly readOnlySeconds: number
}

export interface CopyAllOptions {
  readonly from: CopySide
  readonly to: CopySide
  readonly tables: readonly CopiedTable[]
  /** Size of the original. */
  readonly bytes: number
  readonly progress: MigrationProgress
  /** Reads a table in one state, although the original changes meanwhile. Default: it does not change. */
  readonly inOneState?: <T>(read: () => Promise<T>) => Promise<T>
}

export async function copyAll(options: CopyAllOptions): Promise<readonly TableCopy[]> {
  const { from, to, tables, bytes, progress } = options
  const inOneState = options.inOneState ?? ((read) => read())
  const [rows, present] = [await countAll(from, tables), await countAll(to, tables)]
  progress.onPlan({ rows, present: Math.min(rows, present), bytes })
  const copied: TableCopy[] = []
  for (const table of tables) {
    await progress.onTable(table.name)
    const onRows = progress.onRows.bind(progress)
    copied.push(await inOneState(() => copyTable(table, { from, to, onRows })))
  }
  return copied
}

async function countAll(side: CopySide, tables: readonly CopiedTable[]): Promise<number> {
  let count = 0
  for (const table of tables) {
    const [found] = await side.all({ sql: countRows(table), values: [] })
    count += Number(found?.['count'])
  }
  return count
}

export function sumOf(copied: readonly TableCopy[]): Pick<MigrationSummary, 'tables' | 'rows' | 'written'> {
  const sum = (count: (table: TableCopy) => number): number =>
    copied.reduce((total, table) => total + count(table), 0)
  return { tables: copied, rows: sum(({ rows }) => rows), written: sum(({ written }) => written) }
}
