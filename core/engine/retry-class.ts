import { UnavailableError } from '../errors/errors.ts'
import { refusals } from '../playbook/grammar.ts'

/** Network troubles before anything was sent. */
const neverSent: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])

/**
 * Whether a try that ended with this error may have taken effect all the same, as far as anyone can tell from here. Takes
 * errors as thrown and as stored.
 */
export function mayHaveHappened(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return true
  const { code, details } = error as {
    readonly code?: unknown
    readonly details?: { readonly code?: unknown; readonly sent?: unknown }
  }
  if (typeof details?.sent === 'boolean') return details.sent
  if (code === 'network_error') return !neverSent.has(details?.code)
  return !(refusals as readonly unknown[]).includes(code)
}

/**
 * Whether the request was held back by our own rate budget. That is no failure of the step: it is tried until its turn comes, or
 * the time of the run is up.
 */
export function isOverBudget(error: unknown): boolean {
  const { code, details } = (error ?? {}) as {
    readonly code?: unknown
    readonly details?: { readonly sent?: unknown }
  }
  return code === 'rate_limited' && details?.sent === false
}

/** Whether `retry.on` of a step names the error; undefined names all. */
export function isRetriedOn(on: readonly string[] | undefined, code: string): boolean {
  return on === undefined || on.includes(code) || (on.includes('http_5xx') && /^http_5\d\d$/.test(code))
}

/** Codes of a store that cannot be used for the time being. */
const storeTroubles: ReadonlySet<unknown> = new Set(['store_unavailable', 'store_busy'])

/**
 * Our own store could not take or give what the skill wanted, e.g. a change of a case on a full disk. That is no failure of the
 * step: as with writes of the journal, it is tried until the store works again, or the time of the run is up. Takes errors as
 * thrown and as stored.
 */
export function isOwnStore(error: unknown): boolean {
  if (error instanceof Error && !(error instanceof UnavailableError)) return false
  return storeTroubles.has((error as { readonly code?: unknown } | null)?.code)
}
