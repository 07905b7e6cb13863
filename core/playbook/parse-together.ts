import type { Catalogue } from '../registry/catalogue.ts'
import { callablePlaybooks } from './callable-playbooks.ts'
import { parsePlaybook, type ParsedPlaybook } from './parse.ts'

/** A file and its content. */
export interface PlaybookFile {
  readonly file: string
  readonly source: string | Uint8Array
}

/**
 * Reads playbooks that stand beside each other: calls between them are checked too, their inputs, outputs, and circles. Of two
 * with one name the first can be called.
 *
 * @param options.isWhole whether there are no others, so that a call of one that is not here is a mistake
 */
export function parseTogether<F extends PlaybookFile>(
  files: readonly F[],
  { catalogue, isWhole }: { readonly catalogue: Catalogue; readonly isWhole: boolean },
): readonly (F & ParsedPlaybook)[] {
  const alone = files.map((file) => ({
    ...file,
    ...parsePlaybook(file.source, { catalogue, file: file.file }),
  }))
  const sources = new Map<string, string>()
  for (const { playbook } of alone) {
    if (playbook && !sources.has(playbook.name)) sources.set(playbook.name, playbook.source)
  }
  const playbooks = callablePlaybooks(sources, (source, callers, all) =>
    parsePlaybook(source, { catalogue, playbooks: all, callers }),
  )
  return alone.map((file) => {
    const calls = file.playbook?.calls ?? []
    if (calls.length === 0 || !(isWhole || calls.every((name) => sources.has(name)))) return file
    return { ...file, ...parsePlaybook(file.source, { catalogue, file: file.file, playbooks }) }
  })
}
