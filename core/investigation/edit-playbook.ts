import { randomBytes } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ConflictError, UnavailableError, ValidationError } from '../errors/errors.ts'
import { PlaybookError } from '../errors/playbook-error.ts'
import { parseWithCalledInSlices } from '../playbook/read/parse-with-called.ts'
import type { KnownNames } from '../playbook/scope/context.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import type { Problem } from '../playbook/language/problem.ts'
import { contentHash, decode } from '../playbook/language/source-text.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import type { Sliced } from '../common/sliced.ts'

/** The result of checking a source before it is published. */
export interface CheckedEdit {
  /** Undefined if there are errors. */
  readonly playbook: Playbook | undefined
  /** The playbooks that it calls directly or indirectly, by name; complete if there are no errors. */
  readonly called: ReadonlyMap<string, Playbook>
  /** Errors and warnings. */
  readonly problems: readonly Problem[]
}

/** A source that may be published. */
export interface AcceptedEdit {
  readonly playbook: Playbook
  /** Only warnings. */
  readonly problems: readonly Problem[]
}

/** Checks a source together with the live playbooks that it calls. */
export function* checkBeside(
  source: string,
  live: readonly Playbook[],
  catalogue: Catalogue,
  known?: KnownNames,
): Sliced<CheckedEdit> {
  const beside = new Map(live.map((playbook) => [playbook.name, playbook.source]))
  const { playbook, called, problems } = yield* parseWithCalledInSlices(source, { catalogue, known, beside })
  return { playbook, called, problems }
}

/**
 * Checks that a source may replace the playbook of its name.
 *
 * @throws PlaybookError with every problem
 * @throws ValidationError `playbook_renamed` if the source has a different name than the edited playbook
 * @throws ConflictError `playbook_in_use` if a playbook that calls it, or a shadow beside it, would no longer be valid
 */
export function* checkEdit(
  name: string,
  source: string,
  live: readonly Playbook[],
  catalogue: Catalogue,
  known?: KnownNames,
): Sliced<AcceptedEdit> {
  const { playbook, problems } = yield* checkBeside(source, live, catalogue, known)
  if (playbook === undefined) throw new PlaybookError('the playbook', problems)
  if (playbook.name !== name) {
    throw new ValidationError(
      'playbook_renamed',
      `the source defines '${playbook.name}', not '${name}'`,
      [],
      {
        hint: 'keep the name, or write the other playbook at its own address',
      },
    )
  }
  const others = live.filter((other) => other.name !== name)
  for (const caller of others.filter(
    ({ calls, shadow }) => calls.includes(name) || shadow?.beside === name,
  )) {
    const after = yield* checkBeside(caller.source, [...others, playbook], catalogue)
    const error = after.problems.find(({ severity }) => severity === 'error')
    if (error === undefined) continue
    throw new ConflictError(
      'playbook_in_use',
      `'${caller.name}' ${caller.calls.includes(name) ? 'calls it' : 'runs beside it'} and would break: ${error.message}`,
      {
        hint: `change '${caller.name}' first, or keep the inputs and outputs that it uses`,
      },
    )
  }
  return { playbook, problems }
}

/**
 * Writes the file of a playbook atomically, even if the power fails.
 *
 * @throws ConflictError `playbooks_read_only`; UnavailableError `storage_failed`
 */
export async function writePlaybookFile(path: string, source: string): Promise<void> {
  const folder = dirname(path)
  // Files whose name starts with a dot are not playbooks.
  const beside = join(folder, `.${basename(path)}.${randomBytes(6).toString('hex')}`)
  try {
    const file = await open(beside, 'wx', 0o644)
    try {
      await file.writeFile(source)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(beside, path)
    await syncFolder(folder)
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined)
    throw asRefusal(error, path)
  }
}

/** The content hash of a file as a playbook; undefined if it cannot be read. */
async function hashOfFile(path: string): Promise<string | undefined> {
  const source = await readFile(path).catch(() => undefined)
  return source && contentHash(decode(source).text)
}

/**
 * Refuses versions other than the seen one, also if only the file has changed since it was read. `seen` is null: there is no such
 * playbook.
 *
 * @throws ConflictError `revision_changed`
 */
export async function requireSeen(
  name: string,
  seen: string | null,
  { live, path }: { readonly live: string | undefined; readonly path: string },
): Promise<void> {
  const inFile = await hashOfFile(path)
  if ((live ?? null) === seen && (inFile === undefined || inFile === seen)) return
  throw new ConflictError('revision_changed', `the playbook '${name}' was changed`, {
    hint: 'look at the report of the current version; a file that was changed on disk is read at the next start',
  })
}

/** Deletes the file of a playbook, also if the power fails then. Rejects like `writePlaybookFile`. */
export async function removePlaybookFile(path: string): Promise<void> {
  try {
    await rm(path, { force: true })
    await syncFolder(dirname(path))
  } catch (error) {
    throw asRefusal(error, path)
  }
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const readOnly: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR'])

function asRefusal(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (readOnly.has(code)) {
    return new ConflictError(
      'playbooks_read_only',
      `the playbook cannot be written to ${path} (${String(code)})`,
      {
        hint: 'change it at the source of the playbooks folder, such as your repository, or give Tocsin write access to the folder',
        cause: error,
      },
    )
  }
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EIO')
    return new UnavailableError('storage_failed', `the playbook could not be written (${code})`, {
      hint: 'check the disk of the playbooks folder',
      retryAfterMs: 30_000,
      cause: error,
    })
  return error
}
