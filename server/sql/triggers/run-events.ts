import type { Work } from '../database/work.ts'
import type { Checkpoint } from '../../../core/domain/checkpoint.ts'
import type { RunTrigger } from '../../../core/domain/run.ts'
import {
  chainOfRunEvent,
  questionTriggerOf,
  runTriggerOf,
  unknownStepEvent,
  type RunHappening,
} from '../../../core/transitions/trigger/run-events.ts'
import { toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { requireRunRow, toListedRun, type ListedRunRow } from '../runs/run-rows.ts'

/** Inside of the write that ends a run: records it if a playbook starts on it. */
export function* noteRunEvent(
  database: Database,
  happened: RunHappening | undefined,
  run: ListedRunRow | (() => Work<ListedRunRow>),
  at: number,
): Work<void> {
  if (happened === undefined || !database.triggers.wanted.runEvents.has(happened.event)) return
  const row = typeof run === 'function' ? yield* run() : run
  const listed = toListedRun(row)
  const chain = chainOfRunEvent('run', listed)
  if (chain === undefined) return
  yield* insertEvent(database, row.id, {
    subject: row.id,
    trigger: runTriggerOf(listed, happened, chain, at),
    at,
  })
}

/** Inside of the write that parks a step of a run (its row). */
export function* noteUnknownStep(
  database: Database,
  run: number,
  { path, skill }: { readonly path: string; readonly skill: string },
  at: number,
): Work<void> {
  yield* noteRunEvent(database, unknownStepEvent(path, skill), () => requireRunRow(database, 'id', run), at)
}

/** Inside of the write that asks a question: records it for each time after which a playbook starts. */
export function* noteQuestionEvents(database: Database, row: number, checkpoint: Checkpoint): Work<void> {
  const { questionDelays } = database.triggers.wanted
  if (questionDelays.size === 0) return
  const run = yield* requireRunRow(database, 'uuid', checkpoint.runUuid)
  const chain = chainOfRunEvent('question', toListedRun(run))
  if (chain === undefined) return
  for (const waitedMs of questionDelays) {
    const trigger = questionTriggerOf(checkpoint, waitedMs, chain)
    yield* insertEvent(database, run.id, { subject: row, trigger, at: checkpoint.createdAt + waitedMs })
  }
}

function* insertEvent(
  database: Database,
  run: number,
  { subject, trigger, at }: { readonly subject: number; readonly trigger: RunTrigger; readonly at: number },
): Work<void> {
  yield* database.run(
    `INSERT INTO trigger_events (organization_id, at, kind, subject_id, chain, data)
     SELECT organization_id, ?, ?, ?, ?, ? FROM runs WHERE id = ?`,
    at,
    trigger.kind,
    subject,
    toJson(trigger.chain),
    toJson(trigger),
    run,
  )
  database.triggers.onNoted()
}
