import type { Work } from '../database/work.ts'
import { authorOf, type Actor, type AuditAction } from '../../../core/domain/audit.ts'
import type { Pause } from '../../../core/domain/pause.ts'
import type { PauseStore } from '../../../core/ports/runs/pause-store.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { fromJson, toJson } from '../database/columns.ts'
import { SqlStore } from '../context/store-context.ts'

/** The pause is a row of `facts`. */
export class SqlPauseStore extends SqlStore implements PauseStore {
  get(): Promise<Pause | undefined> {
    return this.read(() => this.#read())
  }

  pause(reason: string, by: Actor): Promise<Pause> {
    return this.write(function* () {
      const earlier = yield* this.#read()
      if (earlier !== undefined) return earlier
      const pause = { by: authorOf(by), since: this.clock.now(), reason }
      yield* this.database.run(`INSERT INTO facts (name, value) VALUES ('paused', ?)`, toJson(pause))
      yield* this.#record('engine.paused', by, { reason })
      return pause
    })
  }

  resume(by: Actor): Promise<void> {
    return this.write(function* () {
      if ((yield* this.database.run(`DELETE FROM facts WHERE name = 'paused'`)) === 1)
        yield* this.#record('engine.resumed', by)
    })
  }

  *#read(): Work<Pause | undefined> {
    const row = yield* this.database.get<{ value: string }>(`SELECT value FROM facts WHERE name = 'paused'`)
    return row && fromJson<Pause>(row.value)
  }

  *#record(action: AuditAction, by: Actor, details: Readonly<Record<string, unknown>> = {}): Work<void> {
    const subject = { kind: 'engine', id: 'engine', name: 'engine' } as const
    yield* recordAudit(this.context, { action, by, organizationUuid: null, subject, details })
  }
}
