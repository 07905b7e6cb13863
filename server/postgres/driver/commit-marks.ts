import { randomUUID } from 'node:crypto'
import type { Told, Statement } from '../../sql/database/work.ts'
import type { PostgresConnection } from './connection.ts'

/** One row for each connection that commits writes. */
export const commitTable = `CREATE TABLE tocsin_commits (
  id TEXT PRIMARY KEY,
  mark bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 20);`

/**
 * Tells after a connection was lost during COMMIT whether the transaction was committed: each transaction that changes something also
 * writes a number of its own. `pg_xact_status` would not do: after a crash or a failover, another transaction can have the same id.
 */
export class CommitMark {
  readonly #id = randomUUID()
  #mark = 0

  /** The last statement before COMMIT. Its row, if there is one, has the changes that triggers noted. */
  next(): Statement {
    this.#mark++
    return {
      sql: `INSERT INTO tocsin_commits (id, mark)
        SELECT CAST(? AS text), CAST(? AS bigint) WHERE pg_current_xact_id_if_assigned() IS NOT NULL
        ON CONFLICT (id) DO UPDATE SET mark = excluded.mark, at = now()
        RETURNING current_setting('tocsin.changes', true) AS changes`,
      values: [this.#id, this.#mark],
    }
  }

  /** On another connection: whether the last transaction was committed. Waits until it has ended. */
  async wasCommitted(connection: PostgresConnection): Promise<boolean> {
    const { rows } = await connection.query(
      `INSERT INTO tocsin_commits (id, mark) VALUES (?, 0)
        ON CONFLICT (id) DO UPDATE SET at = now() RETURNING mark`,
      this.#id,
    )
    return (rows[0] as { mark: number }).mark === this.#mark
  }

  /** Undefined: nothing was changed. */
  static changesIn({ rows }: Told): string | undefined {
    return (rows[0] as { changes: string | null } | undefined)?.changes ?? undefined
  }
}

/** Of connections that are gone. */
export const forgetOldMarks = "DELETE FROM tocsin_commits WHERE at < now() - interval '1 day'"
