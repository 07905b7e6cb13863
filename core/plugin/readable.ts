import { SkillError } from './errors.ts'
import { isObject, type JsonObject } from './json-access.ts'

/** Unreadable records in an output; empty if all were readable. */
export interface LeftOut {
  /** Their number. */
  readonly unreadable?: number
  /** The distinct reasons, at most five. */
  readonly unreadable_why?: readonly string[]
}

/** Schema properties of {@link LeftOut}: add these to the `properties` of an output. */
export const leftOutProperties = {
  unreadable: {
    type: 'integer',
    description: 'Number of records that could not be read and were omitted. 0 or absent: none.',
  },
  unreadable_why: {
    type: 'array',
    items: { type: 'string' },
    description: 'Why they could not be read, each reason once. Absent: none was omitted.',
  },
} as const

/**
 * Makes a decoder return the error instead of throwing it, so that one bad record does not affect the others:
 * {@link collectPages} and {@link readRecords} take both. Anything but SkillError `bad_response` is still
 * thrown.
 *
 * @param decode Converts a record into an item; throws SkillError `bad_response` for an unreadable record.
 */
export function readable<Item>(decode: (record: JsonObject) => Item): (record: unknown) => Item | SkillError {
  return (record) => {
    if (!isObject(record)) return new SkillError('bad_response', 'a record of the list is not an object')
    try {
      return decode(record)
    } catch (error) {
      if (error instanceof SkillError && error.code === 'bad_response') return error
      throw error
    }
  }
}

/**
 * Reads the records of a whole list, and leaves out unreadable ones.
 *
 * @throws SkillError `bad_response` if all records are unreadable, because it is probably a different list
 * @example
 * const { items, leftOut } = readRecords(list, decodeUser)
 * return { users: items, ...leftOut }
 */
export function readRecords<Item>(
  records: readonly unknown[],
  decode: (record: JsonObject) => Item,
): { readonly items: readonly Item[]; readonly leftOut: LeftOut } {
  const { items, failures } = sortOut(records.map(readable(decode)))
  if (items.length === 0 && failures[0] !== undefined) throw failures[0]
  return { items, leftOut: leftOutOf(failures) }
}

export function sortOut<Item>(read: readonly (Item | SkillError)[]): {
  readonly items: readonly Item[]
  readonly failures: readonly SkillError[]
} {
  const items = read.filter((one) => !(one instanceof SkillError)) as readonly Item[]
  return { items, failures: read.filter((one) => one instanceof SkillError) }
}

const mostReasons = 5

export function leftOutOf(failures: readonly SkillError[]): LeftOut {
  if (failures.length === 0) return {}
  const reasons = new Set(failures.map(({ message }) => message))
  return { unreadable: failures.length, unreadable_why: [...reasons].slice(0, mostReasons) }
}
