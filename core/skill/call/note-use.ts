import type { Connection } from '../../domain/connection.ts'
import { ConnectionError } from '../../plugin/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ConnectionStore } from '../../ports/connection-store.ts'
import type { Log } from '../../ports/log.ts'

/** Told of each use of a connection: the error that it ended with, or undefined. */
export type NoteUse = (connection: Connection, error?: unknown) => void

/** A connection whose uses fail and work in turn is written down so often at most. */
const onceInMs = 10_000
/** Of connections that are remembered for it. */
const maxRemembered = 10_000

export interface NoteUseOptions {
  readonly connections: Pick<ConnectionStore, 'used'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
}

/**
 * Keeps how the other system refused a connection (its credentials, its permissions, its token), until a use succeeds. What passes by
 * itself, or is the fault of one call, says nothing about the connection. Nobody waits for it.
 */
export function createNoteUse({ connections, clock, log }: NoteUseOptions): NoteUse {
  const lastAt = new Map<string, number>()

  return ({ uuid, organizationUuid, name, lastFailure }, error) => {
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
        log.warn({ connection: name, code, error: reason }, 'how a connection was used could not be kept'),
      )
  }
}
