import { readdir, readFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import QuickLRU from 'quick-lru'
import { NotFoundError } from '../errors/errors.ts'
import { PlaybookError } from '../errors/playbook-error.ts'
import { formatProblem } from '../errors/source-frame.ts'
import { contentHash } from '../playbook/content-hash.ts'
import { parsePlaybook, type Playbook } from '../playbook/index.ts'
import type { Log, PlaybookStore } from '../ports.ts'
import type { Catalogue } from '../registry/catalogue.ts'

/** The playbooks in force, checked and compiled, and the older versions that runs still hold on to. */
export interface PlaybookLibrary {
  /** The newest version of each playbook that a person wrote. */
  written(): readonly Playbook[]
  /** Any version that was ever kept. Throws NotFoundError `playbook_not_found`, PlaybookError where it no longer checks. */
  byHash(hash: string): Promise<Playbook>
  /** Checks a playbook, keeps it and puts it in force. Throws PlaybookError with every problem. */
  keep(source: string, from: PlaybookOrigin): Promise<Playbook>
}

/** From the playbooks folder (`file`: its path, for messages), or made for alerts of one organization. */
export type PlaybookOrigin =
  | { readonly origin: 'file'; readonly file?: string }
  | { readonly origin: 'made'; readonly organizationUuid: string }

export interface PlaybookLibraryOptions {
  readonly store: PlaybookStore
  readonly catalogue: Catalogue
  readonly log: Log
  /** Folder of `<name>.yaml` files. A missing folder is an empty one. */
  readonly folder: string
}

/** Versions held compiled in memory; others are compiled again when a run needs them. */
const maxCompiled = 1_000

/**
 * Opens the library and puts the files of the folder in force. A file with mistakes is logged with every problem; the last
 * good version of its name (`<name>.yaml`) stays in force.
 */
export async function openPlaybookLibrary(options: PlaybookLibraryOptions): Promise<PlaybookLibrary> {
  const { store, catalogue, log, folder } = options
  const written = new Map<string, Playbook>()
  const compiled = new QuickLRU<string, Playbook>({ maxSize: maxCompiled })
  const newest = new QuickLRU<string, string>({ maxSize: maxCompiled })

  async function keep(source: string, from: PlaybookOrigin): Promise<Playbook> {
    const hash = contentHash(source)
    const organizationUuid = from.origin === 'made' ? from.organizationUuid : null
    const place = (name: string) => `${organizationUuid ?? ''}/${name}`
    const kept = compiled.get(hash)
    if (kept !== undefined && newest.get(place(kept.name)) === hash) return kept
    const playbook = check(source, catalogue, from.origin === 'file' ? from.file : undefined)
    await store.put({ name: playbook.name, hash, source, origin: from.origin, organizationUuid })
    compiled.set(hash, playbook)
    newest.set(place(playbook.name), hash)
    if (from.origin === 'file') written.set(playbook.name, playbook)
    return playbook
  }

  async function byHash(hash: string): Promise<Playbook> {
    const known = compiled.get(hash)
    if (known !== undefined) return known
    const stored = await store.findByHash('all', hash)
    if (stored === undefined) {
      throw new NotFoundError('playbook_not_found', `no playbook has the content hash ${hash}`)
    }
    const playbook = check(stored.source, catalogue)
    compiled.set(hash, playbook)
    return playbook
  }

  async function keepFile(file: string): Promise<void> {
    const path = join(folder, file)
    const source = await readFile(path, 'utf8')
    try {
      await keep(source, { origin: 'file', file: path })
    } catch (error) {
      if (!(error instanceof PlaybookError)) throw error
      report(log, error, source)
      await keepLastGood(parse(file).name)
    }
  }

  async function keepLastGood(name: string): Promise<void> {
    // Nobody's scope: what was made for an organization is not what a person wrote.
    const stored = await store.find([], name)
    if (stored === undefined) return
    try {
      written.set(name, await byHash(stored.hash))
      log.warn({ playbook: name, hash: stored.hash }, 'the last good version stays in force')
    } catch (error) {
      if (!(error instanceof PlaybookError)) throw error
    }
  }

  for (const file of await playbookFiles(folder)) await keepFile(file)
  return { written: () => [...written.values()], byHash, keep }
}

function check(source: string, catalogue: Catalogue, file?: string): Playbook {
  const { playbook, problems } = parsePlaybook(source, { catalogue, ...(file === undefined ? {} : { file }) })
  if (playbook === undefined) throw new PlaybookError(file ?? 'the playbook', problems)
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

function report(log: Log, error: PlaybookError, source: string): void {
  for (const problem of error.problems) {
    if (problem.severity === 'error') log.error({ code: problem.code }, formatProblem(problem, source))
  }
}
