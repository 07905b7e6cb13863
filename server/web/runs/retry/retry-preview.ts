/** What `GET runs/{run}/retry` answers. */
export interface RetryPreview {
  readonly playbook: string
  readonly playbook_hash: string
  /** To be sent with the retry: what was looked at is what is done. */
  readonly plan: string
  readonly steps_total: number
  readonly steps_carried: number
  readonly repeats: readonly RepeatedEffect[]
  /** The first of them stand in `repeats`. */
  readonly repeats_total: number
}

export interface RepeatedEffect {
  readonly path: string
  readonly skill: string
  readonly input: unknown
  readonly took_effect: 'yes' | 'may_have'
  readonly reason: string
  readonly repeat: 'safe' | 'verify' | 'never' | null
}

const repeats: Readonly<Record<NonNullable<RepeatedEffect['repeat']>, string>> = {
  safe: 'safe to repeat',
  verify: 'checked with the other system before it is repeated',
  never: 'must not be repeated',
}

/** In a sentence: what was done already, and what its skill says about doing it again. */
export function repeatText({ took_effect: effect, repeat }: RepeatedEffect): string {
  const done = effect === 'yes' ? 'Done' : 'May have taken effect'
  return `${done}; ${repeat === null ? 'its skill is not installed' : repeats[repeat]}`
}
