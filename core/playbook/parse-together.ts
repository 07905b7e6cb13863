import type { Catalogue } from '../registry/catalogue.ts'
import { callablePlaybooks, type CallablePlaybooks } from './callable-playbooks.ts'
import { parsePlaybook, type ParsedPlaybook } from './parse.ts'

/** A file and its content. */
export interface PlaybookFile {
  readonly file: string
  readonly source: string | Uint8Array
}

export interface TogetherOptions<F extends PlaybookFile> {
  readonly catalogue: Catalogue
  /** Whether there are no others, so that a call of one that is not here is a mistake. */
  readonly isWhole: boolean
  /** Where others may be found, by the file that calls and the name that it calls. Default: nowhere. */
  readonly find?: (caller: F, name: string) => string | Uint8Array | undefined
}

/**
 * Reads playbooks that stand beside each other: calls between them are checked too, their inputs, outputs, and circles. Of two
 * with one name the first can be called.
 */
export function parseTogether<F extends PlaybookFile>(
  files: readonly F[],
  options: TogetherOptions<F>,
): readonly (F & ParsedPlaybook)[] {
  const { catalogue, isWhole } = options
  const alone = files.map((file) => ({
    ...file,
    ...parsePlaybook(file.source, { catalogue, file: file.file }),
  }))
  const sources = new Map<string, string>()
  for (const { playbook, source } of alone) {
    // Also what has mistakes: who calls it is told so.
    const name = playbook?.name ?? nameIn(textOf(source))
    if (name !== undefined && !sources.has(name)) sources.set(name, playbook?.source ?? textOf(source))
  }
  for (const file of alone) findOthers(file, file.playbook?.calls ?? [], sources, options)
  const parse = (source: string, callers: readonly string[], all: CallablePlaybooks) =>
    parsePlaybook(source, { catalogue, playbooks: all, callers })
  const playbooks = callablePlaybooks(sources, parse, isWhole)
  return alone.map((file) => {
    if ((file.playbook?.calls.length ?? 0) === 0) return file
    return { ...file, ...parsePlaybook(file.source, { catalogue, file: file.file, playbooks }) }
  })
}

/** The playbooks that one calls, and those that these call. */
function findOthers<F extends PlaybookFile>(
  caller: F,
  calls: readonly string[],
  sources: Map<string, string>,
  { catalogue, find }: TogetherOptions<F>,
): void {
  const open = [...calls]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const source = sources.has(name) ? undefined : find?.(caller, name)
    if (source === undefined) continue
    sources.set(name, textOf(source))
    open.push(...(parsePlaybook(source, { catalogue }).playbook?.calls ?? []))
  }
}

const textOf = (source: string | Uint8Array): string =>
  typeof source === 'string' ? source : new TextDecoder().decode(source)

/** Of a playbook that cannot be read as a whole. */
const nameIn = (text: string): string | undefined =>
  /^name:[ \t]+["']?([a-z0-9]+(?:-[a-z0-9]+)*)["']?[ \t]*(?:#.*)?\r?$/m.exec(text.slice(0, 100_000))?.[1]
