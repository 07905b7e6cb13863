import { authorOf, type Actor, type AuditAction } from '../../../core/domain/audit.ts'
import type { Pause } from '../../../core/domain/pause.ts'
import type { PauseStore } from '../../../core/ports/runs/pause-store.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { fromJson, toJson } from '../database/columns.ts'
import type { StoreContext } from '../context/store-context.ts'

/** A fact: it is there while runs are paused. */
export class SqlitePauseStore implements PauseStore {
  readonly #context: StoreContext

  constructor(context: StoreContext) {
    this.#context = context
  }

  get(): Promise<Pause | undefined> {
    return this.#context.database.read(() => this.#read())
  }

  pause(reason: string, by: Actor): Promise<Pause> {
    const { database, commits, clock } = this.#context
    return commits.write(() => {
      const earlier = this.#read()
      if (earlier !== undefined) return earlier
      const pause = { by: authorOf(by), since: clock.now(), reason }
      database.run(`INSERT INTO facts (name, value) VALUES ('paused', ?)`, toJson(pause))
      this.#record('engine.paused', by, { reason })
      return pause
    })
  }

  resume(by: Actor): Promise<void> {
    const { database, commits } = this.#context
    return commits.write(() => {
      if (database.run(`DELETE FROM facts WHERE name = 'paused'`) === 1) this.#record('engine.resumed', by)
    })
  }

  #read(): Pause | undefined {
    const row = this.#context.database.get<{ value: string }>(`SELECT value FROM facts WHERE name = 'paused'`)
    return row && fromJson<Pause>(row.value)
  }

  #record(action: AuditAction, by: Actor, details: Readonly<Record<string, unknown>> = {}): void {
    const subject = { kind: 'engine', id: 'engine', name: 'engine' } as const
    recordAudit(this.#context, { action, by, organizationUuid: null, subject, details })
  }
}
