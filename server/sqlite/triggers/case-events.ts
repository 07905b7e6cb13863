import type { Actor } from '../../../core/domain/audit.ts'
import type { Case } from '../../../core/domain/case.ts'
import { caseEventsOf, caseTriggerOf } from '../../../core/transitions/trigger/case-events.ts'
import { chainAfter } from '../../../core/transitions/trigger/start-rules.ts'
import { wakeWaitsForCase } from '../events/wake-waits.ts'
import { fromJson, toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'

/**
 * Inside of the write that changes or opens a case: records the event if a playbook starts on it or a run
 * waits for it.
 */
export function noteCaseEvents(
  database: Database,
  row: number,
  change: { readonly before: Case | undefined; readonly after: () => Case },
  by: Actor,
  at: number,
): void {
  const { wanted, onNoted } = database.triggers
  const happened = () => {
    const after = change.after()
    const events = caseEventsOf(change.before, after)
    return { caseId: after.id, after, events }
  }
  wakeWaitsForCase(
    database,
    row,
    () => {
      const { caseId, after, events } = happened()
      return { caseId, events, trigger: caseTriggerOf({ ...change, after, events }, by, [], at) }
    },
    at,
  )
  if (wanted.caseEvents.size === 0) return
  const { after, events } = happened()
  if (!events.some((event) => wanted.caseEvents.has(event))) return
  const chain = chainOf(database, by)
  const trigger = caseTriggerOf({ ...change, after, events }, by, chain, at)
  database.run(
    `INSERT INTO trigger_events (organization_id, at, kind, subject_id, chain, data)
     SELECT organization_id, ?, 'case', id, ?, ? FROM cases WHERE id = ?`,
    at,
    toJson(chain),
    toJson(trigger),
    row,
  )
  onNoted()
}

/** The playbooks whose runs led to the action of an actor. */
function chainOf(database: Database, { kind, id, name }: Actor): readonly string[] {
  if (kind !== 'run') return []
  const run = database.get<{ readonly name: string; readonly chain: string | null }>(
    'SELECT playbook_name AS name, trigger_chain AS chain FROM runs WHERE uuid = ?',
    id,
  )
  // A run may open its case in the write that queues it, before it has a row. Such a run has no event.
  return chainAfter(fromJson<readonly string[]>(run?.chain ?? null) ?? [], run?.name ?? name)
}
