import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ConflictError, UnavailableError, ValidationError } from '../errors/errors.ts'
import { PlaybookError } from '../errors/playbook-error.ts'
import { parseWithCalledInSlices } from '../playbook/read/parse-with-called.ts'
import type { KnownNames } from '../playbook/scope/context.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import type { Problem } from '../playbook/language/problem.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import type { Sliced } from '../common/sliced.ts'

/** What became of the check of a source that is to be put in force. */
export interface CheckedEdit {
  /** Undefined where there are errors. */
  readonly playbook: Playbook | undefined
  /** The playbooks that it calls, and that those call, by name; complete where there is no error. */
  readonly called: ReadonlyMap<string, Playbook>
  /** Warnings too. */
  readonly problems: readonly Problem[]
}

/** A source that may be put in force. */
export interface AcceptedEdit {
  readonly playbook: Playbook
  /** Warnings alone. */
  readonly problems: readonly Problem[]
}

/** Checks a source as it would stand beside the playbooks in force: what it calls is checked with it. */
export function* checkBeside(
  source: string,
  inForce: readonly Playbook[],
  catalogue: Catalogue,
  known?: KnownNames,
): Sliced<CheckedEdit> {
  const beside = new Map(inForce.map((playbook) => [playbook.name, playbook.source]))
  const { playbook, called, problems } = yield* parseWithCalledInSlices(source, { catalogue, known, beside })
  return { playbook, called, problems }
}

/**
 * The playbook that a source is, where it may take the place of the one of its name.
 *
 * @throws PlaybookError with every problem
 * @throws ValidationError `playbook_renamed` where the source names another playbook than the one that is edited
 * @throws ConflictError `playbook_in_use` where a playbook that calls it could not do so any more
 */
export function* checkEdit(
  name: string,
  source: string,
  inForce: readonly Playbook[],
  catalogue: Catalogue,
  known?: KnownNames,
): Sliced<AcceptedEdit> {
  const { playbook, problems } = yield* checkBeside(source, inForce, catalogue, known)
  if (playbook === undefined) throw new PlaybookError('the playbook', problems)
  if (playbook.name !== name) {
    throw new ValidationError(
      'playbook_renamed',
      `the source is of '${playbook.name}', not of '${name}'`,
      [],
      {
        hint: 'a playbook keeps its name; write the other one at its own address',
      },
    )
  }
  const others = inForce.filter((other) => other.name !== name)
  for (const caller of others.filter(({ calls }) => calls.includes(name))) {
    const after = yield* checkBeside(caller.source, [...others, playbook], catalogue)
    const error = after.problems.find(({ severity }) => severity === 'error')
    if (error === undefined) continue
    throw new ConflictError(
      'playbook_in_use',
      `'${caller.name}' calls it, and could not any more: ${error.message}`,
      {
        hint: `change '${caller.name}' first, or keep what it needs`,
      },
    )
  }
  return { playbook, problems }
}

/**
 * Writes the file of a playbook, whole or not at all, also where the power goes.
 *
 * @throws ConflictError `playbooks_read_only`; UnavailableError `storage_failed`
 */
export async function writePlaybookFile(path: string, source: string): Promise<void> {
  const folder = dirname(path)
  // What begins with a dot is no playbook.
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
        hint: 'change it where the playbooks folder comes from, such as your repository, or let Tocsin write to the folder',
        cause: error,
      },
    )
  }
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EIO')
    return new UnavailableError('storage_failed', `the playbook could not be written (${code})`, {
      hint: 'look at the disk of the playbooks folder',
      retryAfterMs: 30_000,
      cause: error,
    })
  return error
}
