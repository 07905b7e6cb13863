import { runInSlices } from '../common/sliced.ts'
import type { SourceProblem } from '../errors/source-frame.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import { contentHash, decode } from '../playbook/language/source-text.ts'
import { parseTogetherInSlices } from '../playbook/read/parse-together.ts'
import type { KnownNames } from '../playbook/scope/context.ts'
import type { Log } from '../ports/log.ts'
import type { FolderFile } from './playbook-files.ts'
import type { Catalogue } from '../registry/catalogue.ts'

/** A file of the playbooks folder; without a playbook if it has errors. */
export interface ReadPlaybook {
  readonly path: string
  /** Content hash; empty if the file cannot be read. */
  readonly hash: string
  readonly playbook?: Playbook | undefined
  readonly problems: readonly SourceProblem[]
}

/** Checks all files of the folder together. */
export async function readPlaybookFolder(
  read: readonly FolderFile[],
  catalogue: Catalogue,
  known: KnownNames | undefined,
): Promise<readonly ReadPlaybook[]> {
  const readable = read.flatMap(({ path, source }) =>
    source instanceof Uint8Array ? [{ file: path, source }] : [],
  )
  const parsed = await runInSlices(parseTogetherInSlices(readable, { catalogue, known }))
  const byPath = new Map(parsed.map(({ file, playbook, problems }) => [file, { playbook, problems }]))
  return read.map(({ path, source }) => {
    if (source instanceof Uint8Array)
      return { path, hash: fileHash(source), problems: [], ...byPath.get(path) }
    return { path, hash: '', problems: [unreadable(path, source.unreadable)] }
  })
}

/** The content hash of a file as a playbook. */
export const fileHash = (source: Uint8Array): string => contentHash(decode(source).text)

function unreadable(path: string, reason: string): SourceProblem {
  return {
    code: 'file_unreadable',
    severity: 'error',
    message: `the file cannot be read: ${reason}`,
    hint: 'make it readable for the user of the server, or remove it',
    file: path,
    line: 1,
    column: 1,
    endLine: 1,
    endColumn: 1,
  }
}

/** Maximum number of logged errors per file. */
const maxLogged = 5

/** Logs one line per error; `tocsin validate` shows them with their source lines. */
export function logProblems(log: Log, path: string, errors: readonly SourceProblem[]): void {
  for (const { code, message, hint, line, column } of errors.slice(0, maxLogged)) {
    const advice = hint === undefined ? '' : ` (${hint})`
    log.error({ code, path }, `${path}:${line}:${column} ${message}${advice}`)
  }
  const rest = errors.length - maxLogged
  if (rest > 0)
    log.error({ path, count: rest }, `${path} has ${rest} more problems; run: tocsin validate ${path}`)
}
