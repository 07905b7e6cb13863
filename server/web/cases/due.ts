import type { ApiCase } from '../api/types.ts'

export type DueTimes = Pick<ApiCase, 'responded_at' | 'respond_due_at' | 'resolve_due_at' | 'closed_at'>

export interface Target {
  readonly name: 'Response' | 'Closing'
  readonly dueAt: number
  /** When it was met or missed; null: still open. */
  readonly metAt: number | null
}

/** The targets of response times of a case. */
export function targetsOf({
  responded_at,
  respond_due_at,
  resolve_due_at,
  closed_at,
}: DueTimes): readonly Target[] {
  return [
    ...(respond_due_at === null
      ? []
      : [{ name: 'Response', dueAt: respond_due_at, metAt: responded_at } as const]),
    ...(resolve_due_at === null
      ? []
      : [{ name: 'Closing', dueAt: resolve_due_at, metAt: closed_at } as const]),
  ]
}

/** The open target that is due next; undefined: none. */
export function nextTarget(times: DueTimes): Target | undefined {
  if (times.closed_at !== null) return undefined
  return targetsOf(times)
    .filter(({ metAt }) => metAt === null)
    .toSorted((a, b) => a.dueAt - b.dueAt)[0]
}

/** How a target stands, in words and colour. */
export function targetState(
  { dueAt, metAt }: Target,
  now: number,
): readonly [text: string, color: 'green' | 'red' | 'orange' | 'gray'] {
  if (metAt !== null)
    return metAt <= dueAt ? ['met', 'green'] : [`missed by ${shortDuration(metAt - dueAt)}`, 'red']
  return now <= dueAt
    ? [`${shortDuration(dueAt - now)} left`, soon(dueAt - now)]
    : [`${shortDuration(now - dueAt)} over`, 'red']
}

const minuteMs = 60_000
const soon = (leftMs: number): 'green' | 'red' | 'orange' | 'gray' =>
  leftMs <= 15 * minuteMs ? 'orange' : 'gray'

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', minuteMs],
  ['s', 1_000],
] as const

/** The two largest units, without seconds from one minute on: `2 h 5 min`, `40 s`. */
function shortDuration(ms: number): string {
  const at = units.findIndex(([, unit]) => ms >= unit)
  if (at === -1) return '0 s'
  const parts = units
    .slice(at, at + 2)
    .filter(([name], index) => index === 0 || name !== 's')
    .map(
      ([name, unit], index) =>
        [Math.floor(index === 0 ? ms / unit : (ms % units[at]![1]) / unit), name] as const,
    )
  return parts
    .filter(([count], index) => index === 0 || count > 0)
    .map(([count, name]) => `${count} ${name}`)
    .join(' ')
}
