import type { Incident } from './incident.ts'

/** What the vendor's parameter `status` takes, in the order in which an incident goes through them. It is a group: the records have finer words. */
const statusGroups = ['OPEN', 'ON_HOLD', 'CLOSED'] as const
type StatusGroup = (typeof statusGroups)[number]

/** Where the vendor lists records with these words. The others it knows are not seen listed anywhere yet. */
const groupOfStatus: ReadonlyMap<string, StatusGroup> = new Map([
  ['INVESTIGATING', 'ON_HOLD'],
  ['RESOLVED', 'CLOSED'],
  ['FALSE_POSITIVE', 'CLOSED'],
  ['MITIGATED', 'CLOSED'],
])

/** One list to read: `status` takes a single value. */
export interface StatusList {
  /** Absent: all incidents. */
  readonly group: StatusGroup | undefined
  /** The words of the records that are asked for, as the vendor writes them; absent: all of the group. */
  readonly words: ReadonlySet<string> | undefined
}

/**
 * The lists in which the incidents of these statuses are. A group is asked for as a whole, whatever words its records have; one word
 * of a record, within its group, or within all incidents where its group is not known.
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

/** Whether the incident counts in the list it was found in. */
export function isInList({ status }: Incident, { words }: StatusList): boolean {
  return words === undefined || (status !== null && words.has(vendorWord(status)))
}

/** `On Hold` as `ON_HOLD`. */
export const vendorWord = (text: string): string =>
  text
    .trim()
    .toUpperCase()
    .replace(/[\s_-]+/g, '_')

const isGroup = (word: string): word is StatusGroup => statusGroups.some((group) => group === word)
