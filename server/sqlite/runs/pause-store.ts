import { authorOf, type Actor, type AuditAction } from '../../../core/domain/audit.ts'
import type { Pause } from '../../../core/domain/pause.ts'
import type { PauseStore } from '../../../core/ports/runs/pause-store.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { fromJson, toJson } from '../database/columns.ts'
import { SqliteStore } from '../context/store-context.ts'

/** The pause is a row of `facts`. */
export class SqlitePauseStore extends SqliteStore implements PauseStore {
  get(): Promise<Pause | undefined> {
    return this.database.read(() => this.#read())
  }

  pause(reason: string, by: Actor): Promise<Pause> {
    return this.commits.write(() => {
      const earlier = this.#read()
      if (earlier !== undefined) return earlier
      const pause = { by: authorOf(by), since: this.clock.now(), reason }
      this.database.run(`INSERT INTO facts (name, value) VALUES ('paused', ?)`, toJson(pause))
      this.#record('engine.paused', by, { reason })
      return pause
    })
  }

  resume(by: Actor): Promise<void> {
    return this.commits.write(() => {
      if (this.database.run(`DELETE FROM facts WHERE name = 'paused'`) === 1)
        this.#record('engine.resumed', by)
    })
  }

  #read(): Pause | undefined {
    const row = this.database.get<{ value: string }>(`SELECT value FROM facts WHERE name = 'paused'`)
    return row && fromJson<Pause>(row.value)
  }

  #record(action: AuditAction, by: Actor, details: Readonly<Record<string, unknown>> = {}): void {
    const subject = { kind: 'engine', id: 'engine', name: 'engine' } as const
    recordAudit(this.context, { action, by, organizationUuid: null, subject, details })
  }
}
