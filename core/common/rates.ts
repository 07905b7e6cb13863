import type { RateLimit } from '../plugin/index.ts'

/** `50/week`: how many, and the time that they are counted in. */
export const ratePattern = '^[1-9][0-9]{0,4}/(?:[1-9][0-9]{0,2})?(?:s|min|h|day|week)$'

const units: Readonly<Record<string, number>> = {
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
}

/** Highest number of requests in a limit. */
export const maxRate = 10_000

/**
 * Parses a written limit; undefined if the text is not a limit.
 *
 * @example parseRate('4/10s') // { requests: 4, perMs: 10_000 }
 */
export function parseRate(text: string): RateLimit | undefined {
  const [, requests, times, unit] = new RegExp(ratePattern).test(text)
    ? (/^(\d+)\/(\d*)([a-z]+)$/.exec(text) ?? [])
    : []
  if (unit === undefined || Number(requests) > maxRate) return undefined
  return { requests: Number(requests), perMs: Number(times === '' ? 1 : times) * units[unit]! }
}

/**
 * A limit as in a playbook.
 *
 * @example writeRate({ requests: 4, perMs: 10_000 }) // '4/10s'
 */
export function writeRate({ requests, perMs }: RateLimit): string {
  const [unit = 's', ms = 1000] = Object.entries(units).findLast(([, each]) => perMs % each === 0) ?? []
  return `${requests}/${perMs === ms ? '' : perMs / ms}${unit}`
}

const rateHint = `write a number and a time, such as 30/min, 10/h, 500/day or 4/10s; at most ${maxRate}`

const spelt: readonly (readonly [RegExp, string])[] = [
  [/^s(?:ec(?:ond)?s?)?$/i, 's'],
  [/^m(?:in(?:ute)?s?)?$/i, 'min'],
  [/^h(?:(?:ou)?rs?)?$/i, 'h'],
  [/^d(?:ays?)?$/i, 'day'],
  [/^w(?:eeks?)?$/i, 'week'],
]

/**
 * Suggests a rate for `30 per minute`, `30/m` or a plain number; else explains the format.
 *
 * @example hintForRate('30 per minute') // 'did you mean 30/min?'
 */
export function hintForRate(written: string | number): string {
  const [, count = '', times = '', word = ''] =
    /^\s*(\d{1,9})\s*(?:\/|per|a|an|each|every)\s*(\d{0,3})\s*([a-z]+)\s*$/i.exec(String(written)) ?? []
  const unit = spelt.find(([words]) => words.test(word))?.[1]
  const meant = unit && `${Number(count)}/${times === '1' ? '' : times}${unit}`
  return meant !== undefined && parseRate(meant) !== undefined ? `did you mean ${meant}?` : rateHint
}

/** What a rate limit counts: starts of one step, or of the runs of a playbook, per organization. */
export interface RatedStart {
  readonly limit: RateLimit
  /** Name of the playbook; versions are counted together. */
  readonly playbook: string
  /** Id of the step; null for runs of the playbook. */
  readonly stepId: string | null
  /** Hash of the key; null: everything is counted together. */
  readonly key: string | null
}

/** The rate limit of a run to queue. */
export interface RunRate extends Pick<RatedStart, 'limit' | 'key'> {
  /** `drop`: a run beyond the limit is cancelled. */
  readonly policy: 'queue' | 'drop'
}
