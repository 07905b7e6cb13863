import type { Incident } from './incident.ts'

/**
 * Values of the vendor's parameter `status`, in the order of an incident's life. Each is a group of the finer
 * statuses in records.
 */
const statusGroups = ['OPEN', 'ON_HOLD', 'CLOSED'] as const
type StatusGroup = (typeof statusGroups)[number]

/** Groups that list records with these statuses. For other known statuses no group was observed. */
const groupOfStatus: ReadonlyMap<string, StatusGroup> = new Map([
  ['INVESTIGATING', 'ON_HOLD'],
  ['RESOLVED', 'CLOSED'],
  ['FALSE_POSITIVE', 'CLOSED'],
  ['MITIGATED', 'CLOSED'],
])

/** One list to read: `status` accepts a single value. */
export interface StatusList {
  /** Absent: all incidents. */
  readonly group: StatusGroup | undefined
  /** Requested record statuses in the vendor's spelling; absent: the whole group. */
  readonly words: ReadonlySet<string> | undefined
}

/**
 * The lists that contain incidents of these statuses. A group is read as a whole; a record status is read
 * from its group, or from all incidents if its group is unknown.
 */
export function statusLists(statuses: readonly string[]): readonly StatusList[] {
  if (statuses.length === 0) return [{ group: undefined, words: undefined }]
  const words = statuses.map(vendorWord)
  return [...statusGroups, undefined].flatMap((group): StatusList[] => {
    if (group !== undefined && words.includes(group)) return [{ group, words: undefined }]
    const within = words.filter((word) => !isGroup(word) && groupOfStatus.get(word) === group)
    return within.length === 0 ? [] : [{ group, words: new Set(within) }]
  })
}

/** Whether the incident counts in the list it was read from. */
export function isInList({ status }: Incident, { words }: StatusList): boolean {
  return words === undefined || (status !== null && words.has(vendorWord(status)))
}

/** Converts `On Hold` to `ON_HOLD`. */
export const vendorWord = (text: string): string =>
  text
    .trim()
    .toUpperCase()
    .replace(/[\s_-]+/g, '_')

const isGroup = (word: string): word is StatusGroup => statusGroups.some((group) => group === word)
