import type { Catalogue } from '../../registry/catalogue.ts'
import { callablePlaybooks, type PlaybookSources } from './callable-playbooks.ts'
import { parseInSlices } from './parse.ts'
import type { KnownNames, ParsedPlaybook } from '../scope/context.ts'
import type { Playbook } from '../language/playbook.ts'
import { runAtOnce, type Sliced } from '../../common/sliced.ts'

interface WithCalled extends ParsedPlaybook {
  /** The playbooks that it calls directly or indirectly, by name; complete if there is no error. */
  readonly called: ReadonlyMap<string, Playbook>
}

interface WithCalledOptions {
  /** Shown with the problems. */
  readonly file?: string | undefined
  readonly catalogue: Catalogue
  /** For the playbook itself, not for those that it calls. */
  readonly known?: KnownNames | undefined
  /** The playbooks that it can call. */
  readonly beside: PlaybookSources
}

/** Reads a playbook to run it, together with the playbooks that it calls. */
export const parseWithCalled = (source: string | Uint8Array, options: WithCalledOptions): WithCalled =>
  runAtOnce(parseWithCalledInSlices(source, options))

/** {@link parseWithCalled} in time slices. */
export function* parseWithCalledInSlices(
  source: string | Uint8Array,
  { file, catalogue, known, beside }: WithCalledOptions,
): Sliced<WithCalled> {
  const playbooks = callablePlaybooks(beside, catalogue)
  const parsed = yield* parseInSlices(source, { file, catalogue, known, playbooks })
  const called = new Map<string, Playbook>()
  const open = [...parsed.calls]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const found = called.has(name) ? undefined : (yield* playbooks.findInSlices(name, []))?.playbook
    if (found === undefined) continue
    called.set(name, found)
    open.push(...found.calls)
  }
  return { ...parsed, called }
}
