import { UnavailableError } from '../../errors/errors.ts'
import { errorsWithoutEffect } from '../../playbook/language/constants.ts'
import { TocsinError, type Effect } from '../../plugin/index.ts'

/** Network errors that occur before anything is sent. */
const neverSent: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])

/** The skill was not called. */
const withoutConnection: ReadonlySet<unknown> = new Set([
  'connection_missing',
  'connection_disabled',
  'connection_ambiguous',
  'connection_broken',
])

/** Fields of an error that tell about the effect, as thrown or as stored. */
interface Known {
  readonly code?: unknown
  readonly details?: { readonly code?: unknown; readonly sent?: unknown; readonly effect?: unknown }
}

/** Whether an attempt with this error may have taken effect. Accepts thrown and stored errors. */
export function mayHaveHappened(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return true
  const { code, details } = error as Known
  if (details?.effect === 'none' || details?.effect === 'unknown') return details.effect === 'unknown'
  if (details?.sent === false || withoutConnection.has(code)) return false
  if (code === 'network_error') return !neverSent.has(details?.code)
  return !(errorsWithoutEffect as readonly unknown[]).includes(code)
}

/**
 * No answer, or an answer that does not prove whether the request took effect. Of the redirects, only 307 and
 * 308 prove that the request was not processed; a 304 to a write says nothing. A result that cannot be
 * recorded belongs to a write that took effect.
 */
const saysNothing =
  /^(network_error|step_timeout|http_(3(?!0[78])\d\d|408|5\d\d)|bad_response|response_too_large|contract_violation|value_too_large|json_too_deep|internal_error)$/

/**
 * Whether the error leaves the effect of a write open: it was neither refused nor certainly never sent. Accepts
 * thrown and stored errors.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  if (!mayHaveHappened(error)) return false
  // A bug of Tocsin or of a plugin.
  if (error instanceof Error && !(error instanceof TocsinError)) return true
  const { code, details } = (error ?? {}) as Known
  return details?.effect === 'unknown' || (typeof code === 'string' && saysNothing.test(code))
}

/**
 * A copy of the error with this effect; several calls may share the original, such as the error of a token
 * request.
 */
export const withEffect = (error: unknown, effect: Effect): unknown => withDetails(error, { effect })

/**
 * A copy of an error by which a skill failed after a request that changed something. It may be no refusal of that change, such as
 * the failed end of an action that had begun.
 */
export const afterChange = (error: unknown): unknown => withDetails(error, { sent: true })

/** Whether the error is one of `afterChange`. */
export const changedBefore = (error: unknown): boolean =>
  ((error ?? {}) as Known).details?.sent === true && mayHaveHappened(error)

function withDetails(error: unknown, more: Known['details']): unknown {
  if (!(error instanceof Error)) return error
  const { details } = error as { readonly details?: object }
  const copy = Object.create(Object.getPrototypeOf(error) as object, {
    ...Object.getOwnPropertyDescriptors(error),
    stack: { value: error.stack, configurable: true, writable: true },
  }) as object
  return Object.assign(copy, { details: { ...details, ...more } })
}

/**
 * Whether our own rate budget held back the request. That is no failure of the step: it is repeated until its turn
 * comes or the run times out.
 */
export function isOverBudget(error: unknown): boolean {
  const { code, details } = (error ?? {}) as {
    readonly code?: unknown
    readonly details?: { readonly sent?: unknown }
  }
  return code === 'rate_limited' && details?.sent === false
}

/** Whether the thread of the skill ended because of another skill, or could not start. Not a failure of the step. */
export function isThreadLost(error: unknown): boolean {
  return (error as { readonly code?: unknown } | null)?.code === 'thread_lost'
}

/** Whether this process may not send now, because another one may have taken over, see `Lease`. Not a failure of the step. */
export function isLeaseOver(error: unknown): boolean {
  return (error as { readonly code?: unknown } | null)?.code === 'lease_over'
}

/** Whether `retry.on` of the step contains the error; undefined contains all. */
export function isRetriedOn(on: readonly string[] | undefined, code: string): boolean {
  return on === undefined || on.includes(code) || (on.includes('http_5xx') && /^http_5\d\d$/.test(code))
}

/** Codes of a store that is temporarily unavailable. */
const storeTroubles: ReadonlySet<unknown> = new Set(['store_unavailable', 'store_busy'])

/**
 * Whether our own store was unavailable to the skill, e.g. because of a full disk. That is no failure of the step:
 * it is repeated until the store works again or the run times out. Accepts thrown and stored errors.
 */
export function isOwnStore(error: unknown): boolean {
  if (error instanceof Error && !(error instanceof UnavailableError)) return false
  return storeTroubles.has((error as { readonly code?: unknown } | null)?.code)
}
