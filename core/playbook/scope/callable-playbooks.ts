import type { Catalogue } from '../../registry/catalogue.ts'
import { parseInSlices, type ParsedPlaybook } from '../read/parse.ts'
import type { Playbook } from '../language/playbook.ts'
import { runAtOnce, type Sliced } from '../../common/sliced.ts'

/** Playbooks by name, as they are written. A `Map` is that, and so is a folder that is read when it is asked. */
export interface PlaybookSources {
  keys(): Iterable<string>
  get(name: string): string | undefined
  /** Where a playbook is expected that is not there, for people. */
  expectedAt?(name: string): string | undefined
}

/** The playbooks that a playbook can call; there are no others. */
export interface CallablePlaybooks {
  readonly names: readonly string[]
  readonly expectedAt: (name: string) => string | undefined
  /**
   * A playbook, read and checked; undefined if there is none of this name.
   *
   * @param callers names of the playbooks that are being read and lead to this one, so that a circle is noticed
   */
  find(name: string, callers: readonly string[]): ParsedPlaybook | undefined
  /** The same in time slices. */
  findInSlices(name: string, callers: readonly string[]): Sliced<ParsedPlaybook | undefined>
}

/** Reads each playbook once, when it is first called. */
export function callablePlaybooks(
  sources: PlaybookSources,
  catalogue: Catalogue | undefined,
): CallablePlaybooks {
  const known = new Map<string, ParsedPlaybook>()
  const playbooks: CallablePlaybooks = {
    get names() {
      return [...sources.keys()]
    },
    expectedAt: (name) => sources.expectedAt?.(name),
    find: (name, callers) => runAtOnce(playbooks.findInSlices(name, callers)),
    *findInSlices(name, callers) {
      const source = known.has(name) ? undefined : sources.get(name)
      if (source !== undefined)
        known.set(name, yield* parseInSlices(source, { catalogue, playbooks, callers }))
      return known.get(name)
    },
  }
  return playbooks
}

/** Playbooks that have been read and checked already, each beside the others. */
export function checkedPlaybooks(playbooks: readonly Playbook[]): CallablePlaybooks {
  const known = new Map(
    playbooks.map((playbook) => [playbook.name, { playbook, problems: [], calls: playbook.calls }]),
  )
  return {
    names: [...known.keys()],
    expectedAt: () => undefined,
    find: (name) => known.get(name),
    // oxlint-disable-next-line require-yield -- nothing is left to be done
    *findInSlices(name) {
      return known.get(name)
    },
  }
}
