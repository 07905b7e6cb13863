import { createHash } from 'node:crypto'
import { nameOfAnswerer } from '../../../core/domain/checkpoint.ts'
import { personOf } from '../../../core/domain/audit.ts'
import type { AnswerOutcome } from '../../../core/ports/runs/checkpoint-store.ts'
import type { InboundCall, InboundStore } from '../../../core/ports/runs/inbound-store.ts'
import { recordCheckpoint } from '../runs/audit-run.ts'
import { recordAnswer } from '../checkpoints/checkpoint-rows.ts'
import { toJson } from '../database/columns.ts'
import { requireConnectionRow } from './connection-rows.ts'
import type { Database } from '../database/database.ts'
import type { StoreContext } from '../context/store-context.ts'

export class SqliteInboundStore implements InboundStore {
  readonly #context: StoreContext

  constructor(context: StoreContext) {
    this.#context = context
  }

  take(call: InboundCall): Promise<readonly AnswerOutcome[] | undefined> {
    const { database, commits, clock } = this.#context
    return commits.write(() => {
      const at = clock.now()
      const { id } = requireConnectionRow(database, call.organizationUuid, call.connectionUuid)
      if (call.once !== undefined && !isFirst(database, id, call.once, at)) return undefined
      for (const note of ['broken', 'warning'] as const) {
        const reason = call[note]
        if (reason === undefined) continue
        database.run(`UPDATE connections SET ${note} = ? WHERE id = ?`, toJson({ reason, at }), id)
        database.cache.forget()
      }
      return call.answers.map(({ checkpointId, refused, ...given }) => {
        const outcome = recordAnswer(database, checkpointId, { ...given, at }, refused)
        const name = nameOfAnswerer(outcome.checkpoint, given.by)
        recordCheckpoint(
          this.#context,
          outcome,
          personOf(given.by.id.slice(0, maxName), call.requestId, name),
        )
        return outcome
      })
    })
  }
}

const maxName = 200

/** Remembers the call. A key is whatever another system writes: its hash has a length that is known. */
function isFirst(
  database: Database,
  connection: number,
  { key, keepMs }: NonNullable<InboundCall['once']>,
  now: number,
): boolean {
  database.run('DELETE FROM inbound_calls WHERE expires_at <= ?', now)
  const added = database.run(
    'INSERT INTO inbound_calls (connection_id, call, expires_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    connection,
    createHash('sha256').update(key).digest(),
    now + keepMs,
  )
  return added === 1
}
