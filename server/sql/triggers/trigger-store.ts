import { eachInTurn, type Work } from '../database/work.ts'
import type { NewRun, Run, RunTrigger } from '../../../core/domain/run.ts'
import { composeAlertId, composeCaseId } from '../../../core/domain/ids.ts'
import { theServer } from '../../../core/domain/audit.ts'
import type {
  EntityCount,
  EventOutcome,
  NotedEvent,
  ReachedCount,
  TriggerStore,
  WantedEvents,
} from '../../../core/ports/runs/trigger-store.ts'
import { noteEntry } from '../../../core/transitions/timeline.ts'
import type { CheckpointState } from '../../../core/domain/checkpoint.ts'
import { openQuestion } from '../../../core/transitions/question.ts'
import { waitedMsOf } from '../../../core/transitions/trigger/run-events.ts'
import { insertEntry } from '../cases/case-entries.ts'
import { SqlStore } from '../context/store-context.ts'
import { fromJson } from '../database/columns.ts'
import { countObservables } from './count-observables.ts'
import { queueRun } from '../runs/queue-run.ts'

interface EventRow {
  readonly id: number
  readonly organizationUuid: string
  readonly organizationCode: string
  readonly kind: 'case' | 'alert' | 'run' | 'question'
  readonly at: number
  readonly data: string | null
  readonly caseNumber: number | null
  readonly sequence: number | null
  readonly provider: string | null
  readonly questionState: CheckpointState | null
}

const select = `
  SELECT t.id, o.uuid AS "organizationUuid", o.code AS "organizationCode", t.kind, t.at, t.data,
    c.number AS "caseNumber", a.sequence, p.code AS provider, q.state AS "questionState"
  FROM trigger_events t JOIN organizations o ON o.id = t.organization_id
    LEFT JOIN cases c ON t.kind = 'case' AND c.id = t.subject_id
    LEFT JOIN alerts a ON t.kind = 'alert' AND a.id = t.subject_id
    LEFT JOIN providers p ON p.id = a.provider_id
    LEFT JOIN checkpoints q ON t.kind = 'question' AND q.id = t.subject_id
  WHERE (t.kind <> 'question' OR t.at <= ?) AND o.uuid NOT IN (SELECT value FROM json_each(?)) ORDER BY t.id LIMIT ?`

interface Settled {
  readonly organization: number
  readonly subject: number
}

export class SqlTriggerStore extends SqlStore implements TriggerStore {
  watch(wanted: WantedEvents, onNoted: () => void): void {
    Object.assign(this.database.triggers, { wanted, onNoted })
  }

  pending(limit: number, except: readonly string[]): Promise<readonly NotedEvent[]> {
    // A write, so that it runs after the writes that note events.
    return this.write(function* () {
      return (yield* this.database.all<EventRow>(
        select,
        this.clock.now(),
        JSON.stringify(except),
        limit,
      )).map(toEvent)
    })
  }

  settle(event: NotedEvent, outcome: EventOutcome): Promise<readonly Run[] | undefined> {
    return this.write(function* () {
      const settled = yield* this.#take(event)
      return settled && (yield* this.#apply(event, settled, outcome))
    })
  }

  settleAlert(
    event: NotedEvent,
    counts: readonly EntityCount[],
    outcome: (reached: readonly ReachedCount[]) => EventOutcome,
  ): Promise<readonly Run[] | undefined> {
    return this.write(function* () {
      const settled = yield* this.#take(event)
      if (settled === undefined) return undefined
      const { subject } = event
      if (subject.kind !== 'alert' || subject.alertId === null) return []
      const { alertId: alert, at } = subject
      const sighting = { organization: settled.organization, alert, at, now: this.clock.now() }
      return yield* this.#apply(
        event,
        settled,
        outcome(yield* countObservables(this.database, sighting, counts)),
      )
    })
  }

  nextQuestionAt(): Promise<number | undefined> {
    return this.read(function* () {
      return (
        (yield* this.database.get<{ at: number | null }>(
          "SELECT min(at) AS at FROM trigger_events WHERE kind = 'question' AND at > ?",
          this.clock.now(),
        ))?.at ?? undefined
      )
    })
  }

  countPending(): Promise<number> {
    return this.read(function* () {
      return (yield* this.database.one<{ count: number }>('SELECT count(*) AS count FROM trigger_events'))
        .count
    })
  }

  /** Undefined: another call has ended the event. */
  *#take({ id }: NotedEvent): Work<Settled | undefined> {
    return yield* this.database.get<Settled>(
      'DELETE FROM trigger_events WHERE id = ? RETURNING organization_id AS organization, subject_id AS subject',
      id,
    )
  }

  *#apply({ subject }: NotedEvent, settled: Settled, { runs, notes }: EventOutcome): Work<readonly Run[]> {
    const at = this.clock.now()
    if (subject.kind === 'case')
      for (const text of notes)
        yield* insertEntry(this.database, settled.subject, noteEntry(text, theServer, at))
    return yield* eachInTurn(runs, (run: NewRun) => queueRun(this.context, run))
  }
}

function toEvent({ id, organizationUuid, organizationCode, kind, at, data, ...row }: EventRow): NotedEvent {
  const { caseNumber, sequence, provider, questionState } = row
  if (kind === 'run') return { id, organizationUuid, subject: { kind, trigger: fromJson<RunTrigger>(data)! } }
  if (kind === 'question') {
    const trigger = fromJson<RunTrigger>(data)!
    const isWaiting = questionState === openQuestion
    return { id, organizationUuid, subject: { kind, isWaiting, waitedMs: waitedMsOf(trigger), trigger } }
  }
  if (kind === 'case') {
    const trigger = fromJson<RunTrigger>(data)!
    const caseId = composeCaseId(organizationCode, caseNumber ?? 0)
    return { id, organizationUuid, subject: { kind, caseId, trigger } }
  }
  const alertId =
    sequence === null || provider === null ? null : composeAlertId(organizationCode, provider, sequence)
  return { id, organizationUuid, subject: { kind, alertId, at } }
}
