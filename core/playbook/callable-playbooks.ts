import type { ParsedPlaybook } from './parse.ts'

/** The playbooks that a playbook can call. */
export interface CallablePlaybooks {
  readonly names: readonly string[]
  /** Whether there are no others, so that a call of one that is not here is a mistake. */
  readonly isWhole: boolean
  /**
   * A playbook, read and checked; undefined if there is none of this name.
   *
   * @param callers names of the playbooks that are being read and lead to this one, so that a circle is noticed
   */
  find(name: string, callers: readonly string[]): ParsedPlaybook | undefined
}

/** Reads each playbook once, when it is first called. */
export function callablePlaybooks(
  sources: ReadonlyMap<string, string>,
  parse: (source: string, callers: readonly string[], playbooks: CallablePlaybooks) => ParsedPlaybook,
  isWhole = true,
): CallablePlaybooks {
  const known = new Map<string, ParsedPlaybook>()
  const playbooks: CallablePlaybooks = {
    names: [...sources.keys()],
    isWhole,
    find(name, callers) {
      const source = sources.get(name)
      const parsed = known.get(name) ?? (source === undefined ? undefined : parse(source, callers, playbooks))
      if (parsed) known.set(name, parsed)
      return parsed
    },
  }
  return playbooks
}
