import type { Work } from '../database/work.ts'
import type { Actor } from '../../../core/domain/audit.ts'
import type { Case, CaseEvent } from '../../../core/domain/case.ts'
import { caseEventsOf, caseTriggerOf } from '../../../core/transitions/trigger/case-events.ts'
import { chainAfter } from '../../../core/transitions/trigger/start-rules.ts'
import { areChangesAwaited, wakeWaitsForCase } from '../events/wake-waits.ts'
import { fromJson, toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'

interface CaseChange {
  readonly before: Case | undefined
  readonly after: () => Work<Case>
  /** See `areChangesAwaited`, if the caller has asked. */
  readonly isAwaited?: boolean
}

/**
 * Inside of the write that changes or opens a case: records the event if a playbook starts on it or a run
 * waits for it.
 */
export function* noteCaseEvents(
  database: Database,
  row: number,
  change: CaseChange,
  by: Actor,
  at: number,
): Work<void> {
  if (change.isAwaited ?? (yield* areChangesAwaited(database, { caseRow: row })))
    yield* wakeWaitsForCase(database, row, yield* awaitedChange(change, by, at), at)
  if (database.triggers.wanted.caseEvents.size === 0) return
  const after = yield* change.after()
  const events = caseEventsOf(change.before, after)
  yield* noteWanted(database, row, { before: change.before, after, events }, by, at)
}

function* awaitedChange({ before, after: read }: CaseChange, by: Actor, at: number) {
  const after = yield* read()
  const events = caseEventsOf(before, after)
  return { caseId: after.id, events, trigger: caseTriggerOf({ before, after, events }, by, [], at) }
}

/** Inside of a write that changes no field of a case: somebody was mentioned, or a target was missed. */
export function* noteCaseEvent(
  database: Database,
  row: number,
  { event, of }: { readonly event: CaseEvent; readonly of: Case },
  by: Actor,
  at: number,
): Work<void> {
  yield* noteWanted(database, row, { before: of, after: of, events: [event] }, by, at)
}

function* noteWanted(
  database: Database,
  row: number,
  change: {
    readonly before: Case | undefined
    readonly after: Case
    readonly events: readonly CaseEvent[]
  },
  by: Actor,
  at: number,
): Work<void> {
  const { wanted, onNoted } = database.triggers
  if (!change.events.some((event) => wanted.caseEvents.has(event))) return
  const chain = yield* chainOf(database, by)
  const trigger = caseTriggerOf(change, by, chain, at)
  yield* database.run(
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
function* chainOf(database: Database, { kind, id, name }: Actor): Work<readonly string[]> {
  if (kind !== 'run') return []
  const run = yield* database.get<{ readonly name: string; readonly chain: string | null }>(
    'SELECT playbook_name AS name, trigger_chain AS chain FROM runs WHERE uuid = ?',
    id,
  )
  // A run may open its case in the write that queues it, before it has a row. Such a run has no event.
  return chainAfter(fromJson<readonly string[]>(run?.chain ?? null) ?? [], run?.name ?? name)
}
