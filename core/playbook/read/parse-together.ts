import type { Catalogue } from '../../registry/catalogue.ts'
import { callablePlaybooks, type PlaybookSources } from './callable-playbooks.ts'
import type { CallablePlaybooks, KnownNames, ParsedPlaybook } from '../scope/context.ts'
import { parseInSlices } from './parse.ts'
import { runAtOnce, type Sliced } from '../../common/sliced.ts'

/** A file and its content. */
export interface PlaybookFile {
  readonly file: string
  readonly source: string | Uint8Array
}

export interface TogetherOptions<F extends PlaybookFile> {
  readonly catalogue: Catalogue
  readonly known?: KnownNames | undefined
  /** Further playbooks that a file can call. Default: none. */
  readonly beside?: (caller: F) => PlaybookSources
}

/**
 * Reads several playbooks and checks the calls between them: inputs, outputs and cycles. If two have the same
 * name, the first can be called.
 */
export const parseTogether = <F extends PlaybookFile>(
  files: readonly F[],
  options: TogetherOptions<F>,
): readonly (F & ParsedPlaybook)[] => runAtOnce(parseTogetherInSlices(files, options))

/** {@link parseTogether} in time slices. */
export function* parseTogetherInSlices<F extends PlaybookFile>(
  files: readonly F[],
  { catalogue, known, beside }: TogetherOptions<F>,
): Sliced<readonly (F & ParsedPlaybook)[]> {
  const alone: (F & ParsedPlaybook)[] = []
  for (const file of files) {
    const parsed = yield* parseInSlices(file.source, { catalogue, known, file: file.file })
    alone.push({ ...file, ...parsed })
  }
  const given = new Map<string, string>()
  for (const { playbook, source } of alone) {
    // Also playbooks with errors: callers are told so.
    const name = playbook?.name ?? nameOfSource(textOf(source))
    if (name !== undefined && !given.has(name)) given.set(name, playbook?.source ?? textOf(source))
  }
  const callable = new Map<PlaybookSources | undefined, CallablePlaybooks>()
  const callableBy = (file: F): CallablePlaybooks => {
    const others = beside?.(file)
    const playbooks =
      callable.get(others) ?? callablePlaybooks(others ? joined(given, others) : given, catalogue)
    callable.set(others, playbooks)
    return playbooks
  }
  for (const [at, file] of alone.entries()) {
    if (file.calls.length === 0 && file.playbook?.shadow === undefined) continue
    const playbooks = callableBy(file)
    const parsed = yield* parseInSlices(file.source, { catalogue, known, file: file.file, playbooks })
    alone[at] = { ...file, ...parsed }
  }
  return alone
}

const joined = (first: PlaybookSources, second: PlaybookSources): PlaybookSources => ({
  keys: () => new Set([...first.keys(), ...second.keys()]),
  get: (name) => first.get(name) ?? second.get(name),
  expectedAt: (name) => second.expectedAt?.(name),
})

const textOf = (source: string | Uint8Array): string =>
  typeof source === 'string' ? source : new TextDecoder().decode(source)

/** The name of a playbook that cannot be parsed. */
export const nameOfSource = (text: string): string | undefined =>
  /^name:[ \t]+["']?([a-z0-9]+(?:-[a-z0-9]+)*)["']?[ \t]*(?:#.*)?\r?$/m.exec(text.slice(0, 100_000))?.[1]
