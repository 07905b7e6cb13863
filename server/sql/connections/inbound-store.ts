import { eachInTurn, type Work } from '../database/work.ts'
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
import { SqlStore } from '../context/store-context.ts'

export class SqlInboundStore extends SqlStore implements InboundStore {
  take(call: InboundCall): Promise<readonly AnswerOutcome[] | undefined> {
    return this.write(function* () {
      const at = this.clock.now()
      const { id } = yield* requireConnectionRow(this.database, call.organizationUuid, call.connectionUuid)
      if (call.once !== undefined && !(yield* isFirst(this.database, id, call.once, at))) return undefined
      for (const note of ['broken', 'warning'] as const) {
        const reason = call[note]
        if (reason === undefined) continue
        yield* this.database.run(
          `UPDATE connections SET ${note} = ? WHERE id = ?`,
          toJson({ reason, at }),
          id,
        )
        yield* this.database.configurationChanged()
      }
      return yield* eachInTurn(call.answers, (answer) => this.#answer(answer, call.requestId, at))
    })
  }

  *#answer(
    { checkpointId, refused, ...given }: InboundCall['answers'][number],
    requestId: InboundCall['requestId'],
    at: number,
  ): Work<AnswerOutcome> {
    const outcome = yield* recordAnswer(this.database, checkpointId, { ...given, at }, refused)
    const name = nameOfAnswerer(outcome.checkpoint, given.by)
    yield* recordCheckpoint(this.context, outcome, personOf(given.by.id.slice(0, maxName), requestId, name))
    return outcome
  }
}

const maxName = 200

/** Records the call. The key is chosen by the other system, so only its hash is stored. */
function* isFirst(
  database: Database,
  connection: number,
  { key, keepMs }: NonNullable<InboundCall['once']>,
  now: number,
): Work<boolean> {
  yield* database.run('DELETE FROM inbound_calls WHERE expires_at <= ?', now)
  const added = yield* database.run(
    'INSERT INTO inbound_calls (connection_id, call, expires_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    connection,
    createHash('sha256').update(key).digest(),
    now + keepMs,
  )
  return added === 1
}
