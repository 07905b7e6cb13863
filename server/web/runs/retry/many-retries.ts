import type { RepeatedEffect } from './retry-preview.ts'

/** The failed runs of a playbook which nothing has gone on from, and what narrows them. */
export interface FailedFilter {
  readonly playbook: string
  readonly error?: string
  /** Epoch milliseconds. */
  readonly created_after?: number
  readonly created_before?: number
}

/** Which runs are retried: some by their uuids, or the newest failed ones of a playbook. */
export type RetryChoice = { readonly runs: readonly string[] } | { readonly filter: FailedFilter }

interface Refused {
  readonly code: string
  readonly message: string
  readonly hint?: string
}

/** What `POST runs/retry/preview` answers. */
export interface ManyPreview {
  readonly data: readonly {
    readonly run_uuid: string
    readonly playbook: string | null
    /** To be sent with the retries: what was looked at is what is done. */
    readonly plan: string | null
    readonly repeats: readonly RepeatedEffect[]
    readonly error: Refused | null
  }[]
  readonly left: number
}

/** What `POST runs/retry` answers. */
export interface ManyRetries {
  readonly data: readonly {
    readonly run_uuid: string
    readonly retry_uuid: string | null
    readonly error: Refused | null
  }[]
  readonly left: number
}

/** The runs of a preview that can go on: these are retried, and none that fits only since. */
export function runsToRetry({ data }: ManyPreview): readonly string[] {
  return data.flatMap(({ run_uuid: uuid, error }) => (error === null ? [uuid] : []))
}

/** What is asked for once a preview has been looked at. */
export function retriesOf(preview: ManyPreview) {
  return {
    runs: runsToRetry(preview),
    plans: preview.data.flatMap(({ plan }) => (plan === null ? [] : [plan])),
  }
}

/** An effect that several runs would repeat. */
export interface EffectOfMany {
  readonly skill: string
  /** In how many runs. */
  readonly runs: number
  /** One of them, for what its skill says about doing it again. */
  readonly effect: RepeatedEffect
  /** What each was given: which machine, which user. */
  readonly inputs: readonly { readonly run: string; readonly input: unknown }[]
}

/** The effects that would be repeated, alike ones together, the most frequent first. */
export function effectsOfMany({ data }: ManyPreview): readonly EffectOfMany[] {
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

/** Why some are refused, each reason with how many it is for. */
export function refusalsOfMany(data: readonly { readonly error: Refused | null }[]): readonly string[] {
  const reasons = data.flatMap(({ error }) => (error === null ? [] : [error.hint ?? error.message]))
  return [...Map.groupBy(reasons, (reason) => reason)].map(([reason, same]) => `${same.length} × ${reason}`)
}
