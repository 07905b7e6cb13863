import { UnavailableError } from '../errors/errors.ts'
import { contentHash } from '../playbook/language/source-text.ts'
import type { Log } from '../ports/log.ts'
import type {
  LeftFile,
  PlaybookStore,
  PreparedChange,
  PreparedFile,
  PublishedBase,
} from '../ports/playbook-store.ts'
import type { FileWrite, PlaybookFiles } from './playbook-files.ts'
import { fileHash } from './read-folder.ts'

interface WriteOptions {
  readonly files: PlaybookFiles
  readonly store: Pick<PlaybookStore, 'prepare' | 'published' | 'findByHash' | 'folder' | 'dropLeft'>
  readonly log: Log
  readonly pathIn: (file: string) => string
}

/** Content hash of a file; null: there is none. */
export async function hashAt(path: string, files: PlaybookFiles): Promise<string | null> {
  const content = await files.readOne(path)
  return content === undefined ? null : fileHash(content)
}

/**
 * Writes the files of a change, so that a crash leaves it to `completeChange`.
 *
 * @param onPart the files were written in part
 * @returns false: nothing was written, because something else than `base` is published or prepared by now
 * @throws the errors of `PlaybookFiles.write`
 */
export async function writeChange(
  change: PreparedChange,
  base: PublishedBase | undefined,
  { files, store, pathIn }: WriteOptions,
  onPart: () => void,
): Promise<boolean> {
  if (!(await store.prepare(change, base))) return false
  try {
    await files.write(writesOf(change.files, pathIn))
    return true
  } catch (error) {
    for (const { path, before } of change.files) {
      if ((await hashAt(pathIn(path), files)) === before) continue
      onPart()
      throw writtenInPart(error)
    }
    await store.prepare(null, base && { ...base, prepared: change })
    throw error
  }
}

/**
 * Writes the files that an interrupted change has left, unless it has written none, or somebody changed them since.
 *
 * @param isOwn whether no other node may be writing the files of the change. Default: yes
 * @returns whether the files are complete, so that they can be published
 */
export async function completeChange(
  change: PreparedChange,
  { files, store, log, pathIn }: WriteOptions,
  isOwn = true,
): Promise<boolean> {
  const missing: PreparedFile[] = []
  for (const file of change.files) {
    const now = await hashAt(pathIn(file.path), files)
    if (now === hashOf(file)) continue
    if (now !== file.before) {
      if (!isOwn) return false
      log.warn(
        { path: file.path },
        'an interrupted change of playbooks is dropped: the file was changed since',
      )
      await store.prepare(null)
      return false
    }
    missing.push(file)
  }
  if (missing.length === change.files.length) {
    // No file was written, and the change was never confirmed to its author.
    if (isOwn) await store.prepare(null)
    return false
  }
  await files.write(writesOf(missing, pathIn))
  log.info({ count: change.files.length }, 'completed an interrupted change of playbooks')
  return true
}

/**
 * Undoes changes that this node was publishing when it was killed, or that other nodes have passed over.
 *
 * @param isPassed whether this is also said of the change that is still prepared
 */
export async function undoLeft(options: WriteOptions, isPassed: boolean): Promise<void> {
  const { store, log } = options
  try {
    const { prepared, left } = await store.folder()
    const undone = await undoFiles(left, options)
    if (undone.length > 0) await store.dropLeft(undone)
    if (!isPassed || prepared === undefined) return
    if ((await undoFiles(leftOf(prepared), options)).length > 0)
      await store.prepare(null, { prepared, published: await store.published() })
  } catch (error) {
    log.warn({ error }, 'could not undo an interrupted change of playbooks')
  }
}

/**
 * Gives files of changes that were not published their content from before.
 *
 * @returns these files
 * @throws the errors of `PlaybookFiles.write`
 */
export async function undoFiles(
  written: readonly LeftFile[],
  { files, store, log, pathIn }: WriteOptions,
): Promise<readonly LeftFile[]> {
  const published = await store.published()
  const live = new Set(published.values())
  const undone: LeftFile[] = []
  const writes: FileWrite[] = []
  for (const file of written) {
    const { before, hash } = file
    const path = pathIn(file.path)
    if (hash === before || (await hashAt(path, files)) !== hash) continue
    const earlier = before === null ? null : await store.findByHash('all', before)
    const isPublished = hash === null ? !published.has(earlier?.name ?? '') : live.has(hash)
    if (earlier === undefined || isPublished) continue
    undone.push(file)
    writes.push({ path, source: earlier?.source ?? null })
  }
  if (writes.length > 0) await files.write(writes)
  for (const { path } of writes) log.warn({ path }, 'a change of playbooks that was not published is undone')
  return undone
}

/** The files of a change as it leaves them. */
export const leftOf = ({ files }: PreparedChange): readonly LeftFile[] =>
  files.map((file) => ({ path: file.path, before: file.before, hash: hashOf(file) }))

const hashOf = ({ source }: PreparedFile): string | null => (source === null ? null : contentHash(source))

const writesOf = (files: readonly PreparedFile[], pathIn: (file: string) => string): readonly FileWrite[] =>
  files.map(({ path, source }) => ({ path: pathIn(path), source }))

const writtenInPart = (cause: unknown): UnavailableError =>
  new UnavailableError('storage_failed', 'the files of the change were written in part', {
    hint: 'correct the disk of the playbooks folder; Tocsin then writes the rest, at the latest at its next start',
    retryAfterMs: 30_000,
    cause,
  })
