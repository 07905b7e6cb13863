import { UnavailableError } from '../../errors/errors.ts'
import { refusals } from '../../playbook/language/grammar.ts'
import { TocsinError, type Effect } from '../../plugin/index.ts'

/** Network troubles before anything was sent. */
const neverSent: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])

/** What errors say of the effect, besides their code; as thrown and as stored. */
interface Known {
  readonly code?: unknown
  readonly details?: { readonly code?: unknown; readonly sent?: unknown; readonly effect?: unknown }
}

/**
 * Whether a try that ended with this error may have taken effect all the same, as far as anyone can tell from here. Takes
 * errors as thrown and as stored.
 */
export function mayHaveHappened(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return true
  const { code, details } = error as Known
  if (details?.effect === 'none' || details?.effect === 'unknown') return details.effect === 'unknown'
  if (details?.sent === false) return false
  if (code === 'network_error') return !neverSent.has(details?.code)
  return !(refusals as readonly unknown[]).includes(code)
}

/** No answer, or one that leaves open what the other system did; a redirect may well follow what it did. */
const saysNothing =
  /^(network_error|step_timeout|http_(30[0-3]|408|5\d\d)|bad_response|response_too_large|contract_violation|internal_error)$/

/**
 * Whether nobody can know from this error if a write took effect: neither was it refused, nor is it certain that it never left.
 * Takes errors as thrown and as stored.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  if (!mayHaveHappened(error)) return false
  // A bug: of a plugin, or ours.
  if (error instanceof Error && !(error instanceof TocsinError)) return true
  const { code, details } = (error ?? {}) as Known
  return details?.effect === 'unknown' || (typeof code === 'string' && saysNothing.test(code))
}

/** The same error, which says so of its effect. A copy: several calls may have been given the same one, such as that of a token. */
export function withEffect(error: unknown, effect: Effect): unknown {
  if (!(error instanceof Error)) return error
  const { details } = error as { readonly details?: object }
  const copy = Object.create(Object.getPrototypeOf(error) as object, {
    ...Object.getOwnPropertyDescriptors(error),
    stack: { value: error.stack, configurable: true, writable: true },
  }) as object
  return Object.assign(copy, { details: { ...details, effect } })
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
