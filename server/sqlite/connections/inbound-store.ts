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
import { SqliteStore } from '../context/store-context.ts'

export class SqliteInboundStore extends SqliteStore implements InboundStore {
  take(call: InboundCall): Promise<readonly AnswerOutcome[] | undefined> {
    return this.commits.write(() => {
      const at = this.clock.now()
      const { id } = requireConnectionRow(this.database, call.organizationUuid, call.connectionUuid)
      if (call.once !== undefined && !isFirst(this.database, id, call.once, at)) return undefined
      for (const note of ['broken', 'warning'] as const) {
        const reason = call[note]
        if (reason === undefined) continue
        this.database.run(`UPDATE connections SET ${note} = ? WHERE id = ?`, toJson({ reason, at }), id)
        this.database.cache.forget()
      }
      return call.answers.map(({ checkpointId, refused, ...given }) => {
        const outcome = recordAnswer(this.database, checkpointId, { ...given, at }, refused)
        const name = nameOfAnswerer(outcome.checkpoint, given.by)
        recordCheckpoint(this.context, outcome, personOf(given.by.id.slice(0, maxName), call.requestId, name))
        return outcome
      })
    })
  }
}

const maxName = 200

/** Records the call. The key is chosen by the other system, so only its hash is stored. */
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
