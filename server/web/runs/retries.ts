import type { ApiRun, ApiPlaybook, ApiRepeatedEffect } from '../api/types.ts'
import { queryAt, isValidRange, type ListTimes } from '../lists/time-range.ts'

/** The starting points of a retry. A completed run needs a newer version. */
export type RetryOffer = 'failed' | 'newer'

export const retryTitles: Readonly<Record<RetryOffer, string>> = {
  failed: 'Retry from failed step',
  newer: 'Run newer version',
}

/**
 * Null if the run cannot be retried.
 *
 * @param newest version of its playbook; undefined if unknown
 */
export function retryOffer(
  run: Pick<ApiRun, 'status' | 'pruned_at' | 'retried_by' | 'playbook_hash'>,
  newest: Pick<ApiPlaybook, 'hash' | 'in_force'> | undefined,
): RetryOffer | null {
  if (!isRunOver(run) || run.pruned_at !== null || run.retried_by !== null) return null
  if (run.status !== 'completed') return 'failed'
  return newest?.in_force === true && newest.hash !== run.playbook_hash ? 'newer' : null
}

const repeats: Readonly<Record<NonNullable<ApiRepeatedEffect['repeat']>, string>> = {
  safe: 'safe to repeat',
  verify: 'checked with the other system before it is repeated',
  never: 'must not be repeated',
}

/** What happened before, and whether the skill may repeat it. */
export function repeatText({ took_effect: effect, repeat }: ApiRepeatedEffect): string {
  const done = effect === 'yes' ? 'Done' : 'May have taken effect'
  return `${done}; ${repeat === null ? 'its skill is not installed' : repeats[repeat]}`
}

/** Failed runs that were not retried yet, as the API takes it. */
export interface FailedFilter {
  readonly organization?: string
  readonly playbook?: string
  readonly error?: string
  readonly alert?: string
  readonly case?: string
  readonly observable?: string
  /** Epoch milliseconds. */
  readonly created_after?: number
  readonly created_before?: number
}

/** The runs to retry: by uuid, or all that match a filter. */
export type RetryChoice = { readonly runs: readonly string[] } | { readonly filter: FailedFilter }

interface Refused {
  readonly code: string
  readonly message: string
  readonly hint?: string
}

/** Answer of `POST runs/retry/preview`. */
export interface ManyPreview {
  readonly data: readonly {
    readonly run_uuid: string
    readonly playbook: string | null
    /** Sent with the retries, so that they match the preview. */
    readonly plan: string | null
    readonly repeats: readonly ApiRepeatedEffect[]
    readonly error: Refused | null
  }[]
  readonly left: number
  /** Where the next request continues; null: nothing is left. */
  readonly next: string | null
}

/** Answer of `POST runs/retry`. */
export interface ManyRetries {
  readonly data: readonly {
    readonly run_uuid: string
    readonly retry_uuid: string | null
    readonly error: Refused | null
  }[]
  readonly left: number
}

/** An action that several runs would repeat. */
export interface EffectOfMany {
  readonly skill: string
  /** Number of runs. */
  readonly runs: number
  /** One of them. */
  readonly effect: ApiRepeatedEffect
  /** Inputs by run. */
  readonly inputs: readonly { readonly run: string; readonly input: unknown }[]
}

/** Repeated actions grouped by skill, most frequent first. */
export function effectsOfMany(data: ManyPreview['data']): readonly EffectOfMany[] {
  const effects = data.flatMap(({ run_uuid: uuid, repeats }) => repeats.map((effect) => ({ uuid, effect })))
  const alike = Map.groupBy(effects, ({ effect }) => `${effect.skill}/${effect.took_effect}/${effect.repeat}`)
  return [...alike.values()]
    .flatMap((same) => {
      const [first] = same
      const runs = new Set(same.map(({ uuid }) => uuid)).size
      const inputs = same.map(({ uuid, effect }) => ({ run: uuid, input: effect.input }))
      return first === undefined ? [] : [{ skill: first.effect.skill, runs, effect: first.effect, inputs }]
    })
    .toSorted((a, b) => b.runs - a.runs)
}

/** Reasons with the number of runs. */
export function refusalsOfMany(data: readonly { readonly error: Refused | null }[]): readonly string[] {
  const reasons = data.flatMap(({ error }) => (error === null ? [] : [error.hint ?? error.message]))
  return [...Map.groupBy(reasons, (reason) => reason)].map(([reason, same]) => `${same.length} × ${reason}`)
}

type Filters = ListTimes & Readonly<Partial<Record<string, string>>>

/** Filters of the list that the API takes for retries, and of which it requires at least one of the first five. */
const narrowing = ['playbook', 'error', 'alert', 'case', 'observable'] as const
const kept = [...narrowing, 'organization'] as const

/** The filter of a list as the API takes it for failed runs; undefined if it does not match exactly. */
export function failedFilter(filters: Filters, now: number): FailedFilter | undefined {
  const { status, sort: _, since, created_after, created_before, ...others } = filters
  const times = { since, created_after, created_before }
  const isKnown = Object.keys(others).every((name) => kept.some((each) => each === name))
  if (status !== 'failed' || !isKnown || narrowing.every((name) => others[name] === undefined))
    return undefined
  if (!isValidRange(times)) return undefined
  const { created_after: from, created_before: to } = queryAt(times, now)
  return {
    ...others,
    ...(from !== undefined && { created_after: Number(from) }),
    ...(to !== undefined && { created_before: Number(to) }),
  }
}

const ended: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled'])

export const isRunOver = ({ status }: Pick<ApiRun, 'status'>): boolean => ended.has(status)
