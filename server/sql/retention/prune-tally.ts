import type { Work } from '../database/work.ts'
import { theServer } from '../../../core/domain/audit.ts'
import type { RetentionRule } from '../../../core/ports/retention-store.ts'
import { recordAudit } from '../audit/audit-log.ts'
import type { StoreContext } from '../context/store-context.ts'

interface Counts {
  readonly runs: number
  readonly alerts: number
  readonly files: number
}

/** Deleted rows of each organization in one write. */
export class PruneTally {
  readonly #counts = new Map<number, Counts>()

  /** @param organization key of its row */
  add(organization: number, what: keyof Counts): void {
    const counts = this.#counts.get(organization) ?? { runs: 0, alerts: 0, files: 0 }
    this.#counts.set(organization, { ...counts, [what]: counts[what] + 1 })
  }

  get all(): Counts {
    let [runs, alerts, files] = [0, 0, 0]
    for (const counts of this.#counts.values()) {
      runs += counts.runs
      alerts += counts.alerts
      files += counts.files
    }
    return { runs, alerts, files }
  }

  /** Inside of the write: records the deletions in the audit log. */
  *record(context: Pick<StoreContext, 'database' | 'clock'>, { before, setting }: RetentionRule): Work<void> {
    for (const [row, counts] of this.#counts) {
      const { uuid } = yield* context.database.one<{ uuid: string }>(
        'SELECT uuid FROM organizations WHERE id = ?',
        row,
      )
      yield* recordAudit(context, {
        action: 'data.pruned',
        by: theServer,
        organizationUuid: uuid,
        subject: { kind: 'data', id: 'tocsin.db', name: 'tocsin.db' },
        details: { ...counts, before, setting },
      })
    }
  }
}
