import type { CallablePlaybooks, ParsedPlaybook } from '../scope/context.ts'
import type { Catalogue } from '../../registry/catalogue.ts'
import { parseInSlices } from './parse.ts'
import type { Playbook } from '../language/playbook.ts'
import { runAtOnce } from '../../common/sliced.ts'

/** Sources of playbooks by name, such as a `Map` or a folder. */
export interface PlaybookSources {
  keys(): Iterable<string>
  get(name: string): string | undefined
  /** The expected place of a missing playbook, for messages. */
  expectedAt?(name: string): string | undefined
}

/** Reads each playbook once, at its first call. */
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

/** Callable playbooks that are already checked. */
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
