import { readFile } from 'node:fs/promises'
import { join, parse, relative } from 'node:path'
import QuickLRU from 'quick-lru'
import { theServer, type Actor } from '../domain/audit.ts'
import { ConflictError, NotFoundError } from '../errors/errors.ts'
import { PlaybookError } from '../errors/playbook-error.ts'
import type { SourceProblem } from '../errors/source-frame.ts'
import { contentHash } from '../playbook/language/content-hash.ts'
import { findPlaybookFiles } from '../playbook/read/find-files.ts'
import { findRivals, type Rivalry } from '../playbook/check/find-rivals.ts'
import { parseInSlices } from '../playbook/read/parse.ts'
import { parseTogetherInSlices } from '../playbook/read/parse-together.ts'
import type { KnownNames } from '../playbook/scope/context.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import type { Log } from '../ports/log.ts'
import type { PlaybookStore } from '../ports/playbook-store.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import {
  checkBeside,
  checkEdit,
  writePlaybookFile,
  type AcceptedEdit,
  type CheckedEdit,
} from './edit-playbook.ts'
import { runInSlices, type Sliced } from '../common/sliced.ts'

/** The playbooks in force, checked and compiled, and the older versions that runs still hold on to. */
export interface PlaybookLibrary {
  /** The newest version of each playbook that a person wrote. */
  written(): readonly Playbook[]
  /** Content hash of the written playbook of this name that is in force. */
  newest(name: string): string | undefined
  /** The file of the written playbook of this name that is in force. */
  fileOf(name: string): string | undefined
  /** What was found in the folder and is not in force as it stands there. */
  readonly refused: readonly RefusedFile[]
  /** Warnings about playbooks that get in each other's way. */
  readonly rivals: readonly Rivalry[]
  /** Any version that was ever kept. Throws NotFoundError `playbook_not_found`, PlaybookError where it no longer checks. */
  byHash(hash: string): Promise<Playbook>
  /** Checks a playbook, keeps it and puts it in force. Throws PlaybookError with every problem. */
  keep(source: string, from: PlaybookOrigin): Promise<Playbook>
  /** Checks a source beside the playbooks in force, and the names that there are, without keeping it. */
  check(source: string, known?: KnownNames): Sliced<CheckedEdit>
  /** Puts files in force that were refused for names alone which there are by now, such as that of a new connection. */
  takeUpRefused(): Promise<void>
  /**
   * Writes a playbook of this name to its file in the folder, or to a new one, and puts it in force: for alerts and schedules
   * from now on, while runs under way go on with the version that they began with.
   *
   * @param seen content hash of the version that is edited; undefined where there is none yet; `*` for whichever it is
   * @throws what `checkEdit` and `writePlaybookFile` throw; ConflictError `revision_changed` where another version is in force
   */
  edit(name: string, source: string, seen: string | undefined, by: Actor): Promise<AcceptedEdit>
}

/** From the playbooks folder, or made for alerts of one organization. */
export type PlaybookOrigin =
  { readonly origin: 'file' } | { readonly origin: 'made'; readonly organizationUuid: string }

export interface RefusedFile {
  /** Its path in the folder. */
  readonly file: string
  readonly errors: number
}

export interface PlaybookLibraryOptions {
  readonly store: PlaybookStore
  readonly catalogue: Catalogue
  readonly log: Log
  /** Of `<name>.yaml` files, also in folders in it. A missing folder is an empty one. */
  readonly folder: string
  /** The names that there are, in all organizations. Default: they are taken as they come. */
  readonly known?: (() => Promise<KnownNames>) | undefined
}

/** Versions held compiled in memory; others are compiled again when a run needs them. */
const maxCompiled = 1_000

/**
 * Opens the library and puts the files of the folder in force. A file with mistakes is logged and listed as refused; the last
 * good version of its name (`<name>.yaml`) stays in force. Of two files with one name the first is used.
 */
export async function openPlaybookLibrary(options: PlaybookLibraryOptions): Promise<PlaybookLibrary> {
  const { store, catalogue, log, folder, known = async () => undefined } = options
  const written = new Map<string, Playbook>()
  const compiled = new QuickLRU<string, Playbook>({ maxSize: maxCompiled })
  const newest = new QuickLRU<string, string>({ maxSize: maxCompiled })
  const refused: RefusedFile[] = []
  /** Of the files in force, by name. */
  const paths = new Map<string, string>()

  async function keep(source: string, from: PlaybookOrigin): Promise<Playbook> {
    const hash = contentHash(source)
    const kept = compiled.get(hash)
    if (kept !== undefined && newest.get(placeOf(kept, from)) === hash) return kept
    return keepChecked(await check(source, catalogue), from)
  }

  async function keepChecked(
    playbook: Playbook,
    from: PlaybookOrigin,
    by: Actor = theServer,
  ): Promise<Playbook> {
    const { name, hash, source } = playbook
    const organizationUuid = from.origin === 'made' ? from.organizationUuid : null
    await store.put({ name, hash, source, origin: from.origin, organizationUuid }, by)
    compiled.set(hash, playbook)
    newest.set(placeOf(playbook, from), hash)
    if (from.origin === 'file') written.set(name, playbook)
    return playbook
  }

  /** Those that are being compiled, by hash: many runs may need one at once. */
  const underWay = new Map<string, Promise<Playbook>>()

  async function byHash(hash: string): Promise<Playbook> {
    const known = compiled.get(hash)
    if (known !== undefined) return known
    const found = underWay.get(hash) ?? compile(hash).finally(() => underWay.delete(hash))
    underWay.set(hash, found)
    return found
  }

  async function compile(hash: string): Promise<Playbook> {
    const stored = await store.findByHash('all', hash)
    if (stored === undefined) {
      throw new NotFoundError('playbook_not_found', `no playbook has the content hash ${hash}`)
    }
    const playbook = await check(stored.source, catalogue)
    compiled.set(hash, playbook)
    return playbook
  }

  async function refuse(path: string, problems: readonly SourceProblem[]): Promise<void> {
    const errors = problems.filter(({ severity }) => severity === 'error')
    logProblems(log, path, errors)
    refused.push({ file: relative(folder, path), errors: errors.length })
    if (errors.every(({ code }) => namesOnly.includes(code))) unnamed.add(path)
    await keepLastGood(parse(path).name)
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

  /** Paths of files that were refused for nothing but names. */
  const unnamed = new Set<string>()

  async function takeUp(): Promise<void> {
    if (unnamed.size === 0) return
    for (const { path, playbook } of await readPlaybooks(folder, catalogue, await known())) {
      if (playbook === undefined || !unnamed.delete(path)) continue
      const at = refused.findIndex(({ file }) => file === relative(folder, path))
      if (at >= 0) refused.splice(at, 1)
      paths.set(playbook.name, path)
      await keepChecked(playbook, { origin: 'file' })
      log.info({ playbook: playbook.name, path }, 'the playbook is in force now')
    }
  }

  function takeUpRefused(): Promise<void> {
    const taken = editing.then(takeUp)
    editing = taken.catch(() => undefined)
    return taken
  }

  let editing: Promise<unknown> = Promise.resolve()

  /** One at a time: each is checked beside what the one before left. */
  function edit(name: string, source: string, seen: string | undefined, by: Actor): Promise<AcceptedEdit> {
    const edited = editing.then(async () => {
      const inForce = written.get(name)?.hash
      if (seen !== '*' && seen !== inForce) {
        const message = inForce === undefined ? 'there is no such version' : 'another version is in force'
        throw new ConflictError('revision_changed', message)
      }
      const names = await known()
      const accepted = await runInSlices(checkEdit(name, source, [...written.values()], catalogue, names))
      const path = paths.get(name) ?? join(folder, `${name}.yaml`)
      await writePlaybookFile(path, source)
      paths.set(name, path)
      await keepChecked(accepted.playbook, { origin: 'file' }, by)
      return accepted
    })
    editing = edited.catch(() => undefined)
    return edited
  }

  const files = await readPlaybooks(folder, catalogue, await known())
  const rivals = findRivals(
    files.flatMap(({ path, playbook }) =>
      playbook === undefined ? [] : [{ file: relative(folder, path), playbook }],
    ),
  )
  const broken: ReadPlaybook[] = []
  for (const file of files) {
    const namesakes = rivals.filter(
      (rivalry) => rivalry.severity === 'error' && rivalry.file === relative(folder, file.path),
    )
    if (file.playbook === undefined) broken.push(file)
    else if (namesakes.length > 0) broken.push({ path: file.path, problems: namesakes })
    else {
      paths.set(file.playbook.name, file.path)
      await keepChecked(file.playbook, { origin: 'file' })
    }
  }
  // Last: what stands in the folder has become the newest version of its name.
  for (const { path, problems } of broken) await refuse(path, problems)
  // A file with mistakes is there all the same.
  const there = [...files.map(({ path }) => parse(path).name), ...written.keys()]
  await store.keepOnly(there, theServer)
  const warnings = rivals.filter(({ severity }) => severity !== 'error')
  for (const { code, message } of warnings) log.warn({ code }, message)
  return {
    written: () => [...written.values()],
    newest: (name) => written.get(name)?.hash,
    fileOf: (name) => paths.get(name),
    refused,
    rivals: warnings,
    byHash,
    keep,
    check: (source, names) => checkBeside(source, [...written.values()], catalogue, names),
    takeUpRefused,
    edit,
  }
}

/** What is wrong only until there is such a connection, provider or organization. */
const namesOnly: readonly string[] = ['E304', 'E322', 'E323']

/** One organization's made playbooks never stand in for another's. */
const placeOf = ({ name }: Playbook, from: PlaybookOrigin): string =>
  `${from.origin === 'made' ? from.organizationUuid : ''}/${name}`

/** @throws PlaybookError */
async function check(source: string, catalogue: Catalogue): Promise<Playbook> {
  const { playbook, problems } = await runInSlices(parseInSlices(source, { catalogue }))
  if (playbook === undefined) throw new PlaybookError('the playbook', problems)
  return playbook
}

interface ReadPlaybook {
  readonly path: string
  readonly playbook?: Playbook | undefined
  readonly problems: readonly SourceProblem[]
}

async function readPlaybooks(
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
    hint: 'make it readable for the user that Tocsin runs as, or remove it',
    file: path,
    line: 1,
    column: 1,
    endLine: 1,
    endColumn: 1,
  }
}

/** Errors of one file that the log shows. */
const maxLogged = 5

/** A line for each: the log is read line by line. `tocsin validate` shows them with their surroundings. */
function logProblems(log: Log, path: string, errors: readonly SourceProblem[]): void {
  for (const { code, message, hint, line, column } of errors.slice(0, maxLogged)) {
    const advice = hint === undefined ? '' : ` (${hint})`
    log.error({ code, path }, `${path}:${line}:${column} ${message}${advice}`)
  }
  const rest = errors.length - maxLogged
  if (rest > 0)
    log.error({ path, count: rest }, `${path} has ${rest} more problems; run: tocsin validate ${path}`)
}
