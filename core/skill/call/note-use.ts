import type { Connection } from '../../domain/connection.ts'
import { ConnectionError } from '../../plugin/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ConnectionStore } from '../../ports/connection-store.ts'
import type { Log } from '../../ports/log.ts'

/** Records a use of a connection, with its error if it failed. */
export type NoteUse = (connection: Connection, error?: unknown) => void

/** Shortest interval between two records of one connection. */
const onceInMs = 10_000
/** Most connections remembered for this. */
const maxRemembered = 10_000

export interface NoteUseOptions {
  readonly connections: Pick<ConnectionStore, 'used'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
}

/**
 * Records why the other system refused a connection (credentials, permissions, token) until a use succeeds.
 * Temporary errors and errors of a single call are not recorded. Runs in the background.
 */
export function createNoteUse({ connections, clock, log }: NoteUseOptions): NoteUse {
  const lastAt = new Map<string, number>()

  return ({ uuid, organizationUuid, name, lastFailure }, error) => {
    // A missing sign-in is not recorded here: the sign-in has its own state.
    if (error instanceof ConnectionError && error.code === 'sign_in_needed') return
    const code = error instanceof ConnectionError ? error.code : undefined
    const isNews =
      error === undefined ? lastFailure !== null : code !== undefined && code !== lastFailure?.code
    const now = clock.now()
    if (!isNews || now - (lastAt.get(uuid) ?? -Infinity) < onceInMs) return
    lastAt.delete(uuid)
    lastAt.set(uuid, now)
    const [oldest] = lastAt.keys()
    if (lastAt.size > maxRemembered && oldest !== undefined) lastAt.delete(oldest)
    connections
      .used(organizationUuid, uuid, code === undefined ? null : { code, at: now })
      .catch((reason: unknown) =>
        log.warn({ connection: name, code, error: reason }, 'could not record the use of a connection'),
      )
  }
}
