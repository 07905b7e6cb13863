import type { AuditRecord } from '../../core/domain/audit.ts'
import type { Stores } from '../../core/ports/stores.ts'
import type { Config } from '../config/config.ts'
import { ok, warning, type Finding } from './finding.ts'

/** An entry that has waited for longer is no matter of the moment. */
const lateMs = 60_000

/** Of each destination of the audit log, how much it has not taken yet, and since when. */
export async function checkAuditExport(
  { auditExport }: Pick<Config, 'auditExport'>,
  stores: Pick<Stores, 'audit'>,
  now: number,
): Promise<readonly Finding[]> {
  const [head, cursors] = await Promise.all([stores.audit.head(), stores.audit.exportCursors()])
  return Promise.all(
    auditExport.targets.map(async ({ name }) => {
      const check = `audit export ${name}`
      const cursor = cursors.find(({ destination }) => destination === name)
      if (cursor === undefined)
        return warning(
          check,
          'it has not begun',
          'start the server with these settings: it begins with the first entry',
        )
      const lag = (head?.sequence ?? 0) - cursor.sequence
      const [oldest] = await stores.audit.after(cursor.sequence, 1)
      const since = oldest === undefined ? now : (JSON.parse(oldest.entry) as AuditRecord).at
      const behind = `${lag} ${lag === 1 ? 'entry has' : 'entries have'} not been taken`
      if (oldest === undefined || now - since < lateMs)
        return ok(check, lag === 0 ? `all entries are taken, up to ${cursor.sequence}` : behind)
      return warning(
        check,
        `${behind}, the oldest of ${new Date(since).toISOString()}`,
        "see that the server runs and that the destination takes entries; the server's log says why it does not",
      )
    }),
  )
}
