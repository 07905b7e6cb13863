import { hash, randomBytes } from 'node:crypto'
import { isUsable, type ApiKey } from '../../core/domain/api-key.ts'
import type { Actor } from '../../core/domain/audit.ts'
import { idleEnd, lastEnd, type Session, type SessionLimits } from '../../core/domain/session.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Log } from '../../core/ports/log.ts'
import type { SessionStore } from '../../core/ports/access/session-store.ts'

/** People who are signed in at the web page. */
export interface Sessions {
  readonly limits: SessionLimits
  /**
   * Begins a session in place of the one that the same browser had. The token is given here and stored nowhere. Throws NotFoundError
   * `key_not_found`.
   */
  begin(
    key: ApiKey,
    replaces: string | undefined,
    by: Actor,
  ): Promise<{ readonly token: string; readonly session: Session }>
  /**
   * The session of a token, when it may be used now.
   *
   * @param isActivity whether a person is behind the request: it then counts as a use, which puts off the idle end
   */
  use(token: string, isActivity: boolean): Promise<Session | undefined>
  /** Whether a session that was in use may not be used any more. To ask is no use of it. */
  isOver(session: Session): Promise<boolean>
  end(session: Session, by: Actor): Promise<void>
}

const minuteMs = 60_000

/** Unless the configuration says otherwise. */
export const defaultSessionLimits: SessionLimits = { idleMs: 60 * minuteMs, maxMs: 12 * 60 * minuteMs }

/** 32 random bytes in base64url. */
const tokenPattern = /^[A-Za-z0-9_-]{43}$/

export function createSessions(
  store: SessionStore,
  limits: SessionLimits,
  clock: Pick<Clock, 'now'>,
  log: Log,
): Sessions {
  /** Nobody waits for the write, and its failure fails nothing: at worst the session ends too early. */
  function recordUse({ uuid, lastUsedAt }: Session, now: number): void {
    if (Math.abs(now - lastUsedAt) < Math.min(minuteMs, limits.idleMs / 10)) return
    store
      .recordUse(uuid, now)
      .catch((error: unknown) => log.warn({ error }, 'the use of a session was not recorded'))
  }

  const mayBeUsed = (session: Session | undefined, now: number): session is Session =>
    session !== undefined &&
    isUsable(session.key, now) &&
    now < Math.min(idleEnd(session, limits), lastEnd(session, limits))

  return {
    limits,
    async begin(key, replaces, by) {
      const token = randomBytes(32).toString('base64url')
      const before = replaces === undefined ? undefined : hashOf(replaces)
      const session = await store.begin({ tokenHash: hashOf(token), key, replaces: before, limits }, by)
      return { token, session }
    },
    async use(token, isActivity) {
      const session = tokenPattern.test(token) ? await store.find(hashOf(token)) : undefined
      const now = clock.now()
      if (!mayBeUsed(session, now)) return undefined
      if (isActivity) recordUse(session, now)
      return session
    },
    isOver: async ({ uuid }) => !mayBeUsed(await store.byUuid(uuid), clock.now()),
    end: (session, by) => store.end(session.uuid, by),
  }
}

/** Looked up by it: whoever can measure how far two hashes agree learns nothing of the token. */
const hashOf = (token: string): Uint8Array => hash('sha256', token, 'buffer')
