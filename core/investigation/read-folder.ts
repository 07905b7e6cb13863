import { readFile } from 'node:fs/promises'
import { runInSlices } from '../common/sliced.ts'
import type { SourceProblem } from '../errors/source-frame.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import { findPlaybookFiles } from '../playbook/read/find-files.ts'
import { parseTogetherInSlices } from '../playbook/read/parse-together.ts'
import type { KnownNames } from '../playbook/scope/context.ts'
import type { Log } from '../ports/log.ts'
import type { Catalogue } from '../registry/catalogue.ts'

/** A file of the playbooks folder; without a playbook if it has errors. */
export interface ReadPlaybook {
  readonly path: string
  readonly playbook?: Playbook | undefined
  readonly problems: readonly SourceProblem[]
}

/** Reads and checks all files of a folder together. A missing folder counts as empty. */
export async function readPlaybookFolder(
  folder: string,
  catalogue: Catalogue,
  known: KnownNames | undefined,
): Promise<readonly ReadPlaybook[]> {
  const paths = await findPlaybookFiles(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const read = await Promise.all(
    paths.map(async (file) => ({
      file,
      source: await readFile(file).catch((error: NodeJS.ErrnoException) => error),
    })),
  )
  const readable = read.flatMap(({ file, source }) => (source instanceof Error ? [] : [{ file, source }]))
  const parsed = await runInSlices(parseTogetherInSlices(readable, { catalogue, known }))
  const byPath = new Map(parsed.map(({ file, playbook, problems }) => [file, { playbook, problems }]))
  return read.map(({ file, source }) => {
    if (source instanceof Error) return { path: file, problems: [unreadable(file, source)] }
    return { path: file, problems: [], ...byPath.get(file) }
  })
}

function unreadable(path: string, { code, message }: NodeJS.ErrnoException): SourceProblem {
  return {
    code: 'file_unreadable',
    severity: 'error',
    message: `the file cannot be read: ${code ?? message}`,
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
