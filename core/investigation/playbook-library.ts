import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { NotFoundError } from '../errors/errors.ts'
import { PlaybookError } from '../errors/playbook-error.ts'
import { formatProblem } from '../errors/source-frame.ts'
import { parsePlaybook, type Playbook } from '../playbook/index.ts'
import type { Log, PlaybookStore, StoredPlaybook } from '../ports.ts'
import type { Catalogue } from '../registry/catalogue.ts'

/** A playbook that is in force: the newest version of its name. */
export interface LibraryEntry {
  readonly playbook: Playbook
  readonly origin: StoredPlaybook['origin']
}

/** The playbooks in force, checked and compiled, and the older versions that runs still hold on to. */
export interface PlaybookLibrary {
  inForce(): readonly LibraryEntry[]
  /** Any version that was ever kept. Throws NotFoundError `playbook_not_found`, PlaybookError where it no longer checks. */
  byHash(hash: string): Promise<Playbook>
  /** Checks, keeps and puts a playbook in force. Throws PlaybookError with every problem. */
  keep(source: string, origin: StoredPlaybook['origin'], file?: string): Promise<Playbook>
}

export interface PlaybookLibraryOptions {
  readonly store: PlaybookStore
  readonly catalogue: Catalogue
  readonly log: Log
  /** Folder of `<name>.yaml` files. A missing folder is an empty one. */
  readonly folder: string
}

/**
 * Opens the library: what the store holds, then the files of the folder over it. A file with mistakes is logged with every
 * problem and does not come into force; the last good version of its name stays.
 */
export async function openPlaybookLibrary(options: PlaybookLibraryOptions): Promise<PlaybookLibrary> {
  const { store, catalogue, log, folder } = options
  const inForce = new Map<string, LibraryEntry>()
  const compiled = new Map<string, Playbook>()

  async function keep(source: string, origin: StoredPlaybook['origin'], file?: string): Promise<Playbook> {
    const playbook = check(source, catalogue, file)
    await store.put({ name: playbook.name, hash: playbook.hash, source, origin })
    compiled.set(playbook.hash, playbook)
    inForce.set(playbook.name, { playbook, origin })
    return playbook
  }

  async function byHash(hash: string): Promise<Playbook> {
    const known = compiled.get(hash)
    if (known !== undefined) return known
    const stored = await store.findByHash(hash)
    if (stored === undefined) {
      throw new NotFoundError('playbook_not_found', `no playbook has the content hash ${hash}`)
    }
    const playbook = check(stored.source, catalogue)
    compiled.set(hash, playbook)
    return playbook
  }

  for (const stored of await store.list()) {
    try {
      const playbook = await byHash(stored.hash)
      inForce.set(stored.name, { playbook, origin: stored.origin })
    } catch (error) {
      report(log, `playbook ${stored.name}`, stored.source, error)
    }
  }
  for (const file of await playbookFiles(folder)) {
    const source = await readFile(join(folder, file), 'utf8')
    try {
      await keep(source, 'file', join(folder, file))
    } catch (error) {
      report(log, file, source, error)
    }
  }
  return { inForce: () => [...inForce.values()], byHash, keep }
}

function check(source: string, catalogue: Catalogue, file?: string): Playbook {
  const { playbook, problems } = parsePlaybook(source, { catalogue, ...(file === undefined ? {} : { file }) })
  if (playbook === undefined) throw new PlaybookError(problems)
  return playbook
}

async function playbookFiles(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder)
    return names.filter((name) => /\.ya?ml$/.test(name) && !/\.test\.ya?ml$/.test(name)).toSorted()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function report(log: Log, what: string, source: string, error: unknown): void {
  if (!(error instanceof PlaybookError)) throw error
  for (const problem of error.problems.filter((problem) => problem.severity === 'error')) {
    log.error({ playbook: what, code: problem.code }, formatProblem(problem, source))
  }
}
