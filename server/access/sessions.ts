import { hash, randomBytes } from 'node:crypto'
import type { Actor } from '../../core/domain/audit.ts'
import {
  idleEnd,
  isHolderUsable,
  lastEnd,
  type Session,
  type SessionLimits,
} from '../../core/domain/session.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Log } from '../../core/ports/log.ts'
import type { NewSession, SessionStore } from '../../core/ports/access/session-store.ts'

/** Sign-ins to the web page. */
export interface Sessions {
  readonly limits: SessionLimits
  /**
   * Starts a session that replaces the earlier one of the same browser. The token is returned once and never
   * stored.
   *
   * @throws NotFoundError `key_not_found`, `account_not_found`
   */
  begin(
    given: Pick<NewSession, 'holder' | 'method' | 'client'>,
    replaces: string | undefined,
    by: Actor,
  ): Promise<{ readonly token: string; readonly session: Session }>
  /**
   * The session of a token, if it is valid now.
   *
   * @param isActivity whether a person caused the request, which extends the idle timeout
   */
  use(token: string, isActivity: boolean): Promise<Session | undefined>
  /** Whether a session has ended; does not count as a use. */
  isOver(session: Session): Promise<boolean>
  end(session: Session, by: Actor): Promise<void>
}

const minuteMs = 60_000

export const defaultSessionLimits: SessionLimits = { idleMs: 60 * minuteMs, maxMs: 12 * 60 * minuteMs }

/** 32 random bytes in base64url. */
const tokenPattern = /^[A-Za-z0-9_-]{43}$/

export function createSessions(
  store: SessionStore,
  limits: SessionLimits,
  clock: Pick<Clock, 'now'>,
  log: Log,
): Sessions {
  /** Not awaited: after a failed write, the session at worst ends early. */
  function recordUse({ uuid, lastUsedAt }: Session, now: number): void {
    if (Math.abs(now - lastUsedAt) < Math.min(minuteMs, limits.idleMs / 10)) return
    store
      .recordUse(uuid, now)
      .catch((error: unknown) => log.warn({ error }, 'could not record the use of a session'))
  }

  const mayBeUsed = (session: Session | undefined, now: number): session is Session =>
    session !== undefined &&
    isHolderUsable(session.holder, now) &&
    now < Math.min(idleEnd(session, limits), lastEnd(session, limits))

  return {
    limits,
    async begin(given, replaces, by) {
      const token = randomBytes(32).toString('base64url')
      const before = replaces === undefined ? undefined : hashOf(replaces)
      const session = await store.begin({ ...given, tokenHash: hashOf(token), replaces: before, limits }, by)
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

/** Tokens are looked up by hash, so that the time of a comparison reveals nothing about a token. */
const hashOf = (token: string): Uint8Array => hash('sha256', token, 'buffer')
