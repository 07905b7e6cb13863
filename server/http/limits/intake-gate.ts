import { FairLines } from '../../../core/common/fair-lines.ts'
import { RequestError } from '../request/request-error.ts'
import type { Caller } from '../caller/caller.ts'

/** Limits the queue of alerts to be stored, and shares the store fairly among organizations. */
export interface IntakeGate {
  /**
   * Before the body is read.
   *
   * @throws RequestError `intake_full` if the key belongs to one organization and its queue is full
   */
  admit(caller: Pick<Caller, 'scope'>): void
  /**
   * Runs `store` when it is the organization's turn. Each organization has its own queue, and the
   * queues take turns.
   *
   * @throws RequestError `intake_full`
   */
  inTurn<T>(organizationUuid: string, store: () => Promise<T>): Promise<T>
}

export interface IntakeLimits {
  /** Alerts that are stored at the same time: enough to fill a commit, and few enough to finish soon. */
  readonly maxStoring: number
  /** Alerts of one organization that wait to be stored. */
  readonly maxWaiting: number
}

export function createIntakeGate({ maxStoring, maxWaiting }: IntakeLimits): IntakeGate {
  const lines = new FairLines<() => void>()
  // Alerts wait only while this is at its maximum; a finished alert passes its slot to the next.
  let storing = 0

  function requireRoom(organizationUuid: string): void {
    const waiting = lines.lengthOf(organizationUuid)
    if (waiting >= maxWaiting) throw intakeFull(waiting)
  }

  function wait(organizationUuid: string): Promise<void> {
    requireRoom(organizationUuid)
    return new Promise((resolve) => lines.push(organizationUuid, resolve))
  }

  return {
    admit({ scope }) {
      const [only] = scope
      if (scope !== 'all' && scope.length === 1 && only !== undefined) requireRoom(only)
    },
    async inTurn(organizationUuid, store) {
      if (storing < maxStoring) storing++
      else await wait(organizationUuid)
      try {
        return await store()
      } finally {
        const next = lines.take()
        if (next === undefined) storing--
        else next()
      }
    },
  }
}

function intakeFull(waiting: number): RequestError {
  const message = `${waiting} alerts of the organization wait to be stored; this one was not stored.`
  return new RequestError('intake_full', message, {
    hint: 'send the alert again after the time in Retry-After',
    headers: { 'retry-after': '2' },
  })
}
