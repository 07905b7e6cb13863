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
import { insertEntry } from '../cases/case-entries.ts'
import { SqliteStore } from '../context/store-context.ts'
import { fromJson } from '../database/columns.ts'
import { countObservables } from './count-observables.ts'
import { queueRun } from '../runs/queue-run.ts'

interface EventRow {
  readonly id: number
  readonly organizationUuid: string
  readonly organizationCode: string
  readonly kind: 'case' | 'alert'
  readonly at: number
  readonly data: string | null
  readonly caseNumber: number | null
  readonly sequence: number | null
  readonly provider: string | null
}

const select = `
  SELECT t.id, o.uuid AS organizationUuid, o.code AS organizationCode, t.kind, t.at, t.data,
    c.number AS caseNumber, a.sequence, p.code AS provider
  FROM trigger_events t JOIN organizations o ON o.id = t.organization_id
    LEFT JOIN cases c ON t.kind = 'case' AND c.id = t.subject_id
    LEFT JOIN alerts a ON t.kind = 'alert' AND a.id = t.subject_id
    LEFT JOIN providers p ON p.id = a.provider_id
  WHERE o.uuid NOT IN (SELECT value FROM json_each(?)) ORDER BY t.id LIMIT ?`

interface Settled {
  readonly organization: number
  readonly subject: number
}

export class SqliteTriggerStore extends SqliteStore implements TriggerStore {
  watch(wanted: WantedEvents, onNoted: () => void): void {
    Object.assign(this.database.triggers, { wanted, onNoted })
  }

  pending(limit: number, except: readonly string[]): Promise<readonly NotedEvent[]> {
    // A write, so that it runs after the writes that note events.
    return this.commits.write(() =>
      this.database.all<EventRow>(select, JSON.stringify(except), limit).map(toEvent),
    )
  }

  settle(event: NotedEvent, outcome: EventOutcome): Promise<readonly Run[] | undefined> {
    return this.commits.write(() => {
      const settled = this.#take(event)
      return settled && this.#apply(event, settled, outcome)
    })
  }

  settleAlert(
    event: NotedEvent,
    counts: readonly EntityCount[],
    outcome: (reached: readonly ReachedCount[]) => EventOutcome,
  ): Promise<readonly Run[] | undefined> {
    return this.commits.write(() => {
      const settled = this.#take(event)
      if (settled === undefined) return undefined
      const { subject } = event
      if (subject.kind !== 'alert' || subject.alertId === null) return []
      const sighting = { organization: settled.organization, alert: subject.alertId, at: subject.at }
      return this.#apply(event, settled, outcome(countObservables(this.database, sighting, counts)))
    })
  }

  countPending(): Promise<number> {
    return this.database.read(
      () => this.database.one<{ count: number }>('SELECT count(*) AS count FROM trigger_events').count,
    )
  }

  /** Undefined: another call has ended the event. */
  #take({ id }: NotedEvent): Settled | undefined {
    return this.database.get<Settled>(
      'DELETE FROM trigger_events WHERE id = ? RETURNING organization_id AS organization, subject_id AS subject',
      id,
    )
  }

  #apply({ subject }: NotedEvent, settled: Settled, { runs, notes }: EventOutcome): readonly Run[] {
    const at = this.clock.now()
    if (subject.kind === 'case')
      for (const text of notes) insertEntry(this.database, settled.subject, noteEntry(text, theServer, at))
    return runs.map((run: NewRun) => queueRun(this.context, run))
  }
}

function toEvent({ id, organizationUuid, organizationCode, kind, at, data, ...row }: EventRow): NotedEvent {
  const { caseNumber, sequence, provider } = row
  if (kind === 'case') {
    const trigger = fromJson<RunTrigger>(data)!
    const caseId = composeCaseId(organizationCode, caseNumber ?? 0)
    return { id, organizationUuid, subject: { kind, caseId, trigger } }
  }
  const alertId =
    sequence === null || provider === null ? null : composeAlertId(organizationCode, provider, sequence)
  return { id, organizationUuid, subject: { kind, alertId, at } }
}
