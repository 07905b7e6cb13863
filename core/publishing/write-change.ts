import { UnavailableError } from '../errors/errors.ts'
import { contentHash } from '../playbook/language/source-text.ts'
import type { Log } from '../ports/log.ts'
import type { PlaybookStore, PreparedChange, PreparedFile } from '../ports/playbook-store.ts'
import type { FileWrite, PlaybookFiles } from './playbook-files.ts'
import { fileHash } from './read-folder.ts'

interface WriteOptions {
  readonly files: PlaybookFiles
  readonly store: Pick<PlaybookStore, 'prepare'>
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
 * @throws the errors of `PlaybookFiles.write`
 */
export async function writeChange(
  change: PreparedChange,
  { files, store, pathIn }: WriteOptions,
  onPart: () => void,
): Promise<void> {
  await store.prepare(change)
  try {
    await files.write(writesOf(change.files, pathIn))
  } catch (error) {
    for (const { path, before } of change.files) {
      if ((await hashAt(pathIn(path), files)) === before) continue
      onPart()
      throw writtenInPart(error)
    }
    await store.prepare(null)
    throw error
  }
}

/**
 * Writes the files that an interrupted change has left, unless it has written none, or somebody changed them since.
 *
 * @returns whether the change is complete
 */
export async function completeChange(
  change: PreparedChange,
  { files, store, log, pathIn }: WriteOptions,
): Promise<boolean> {
  const missing: PreparedFile[] = []
  for (const file of change.files) {
    const now = await hashAt(pathIn(file.path), files)
    if (now === (file.source === null ? null : contentHash(file.source))) continue
    if (now !== file.before) {
      log.warn(
        { path: file.path },
        'an interrupted change of playbooks is dropped: the file was changed since',
      )
      await store.prepare(null)
      return false
    }
    missing.push(file)
  }
  if (missing.length < change.files.length) await files.write(writesOf(missing, pathIn))
  await store.prepare(null)
  // Nothing was written, and nobody was told that it was.
  if (missing.length === change.files.length) return false
  log.info({ count: change.files.length }, 'completed an interrupted change of playbooks')
  return true
}

const writesOf = (files: readonly PreparedFile[], pathIn: (file: string) => string): readonly FileWrite[] =>
  files.map(({ path, source }) => ({ path: pathIn(path), source }))

const writtenInPart = (cause: unknown): UnavailableError =>
  new UnavailableError('storage_failed', 'the files of the change were written in part', {
    hint: 'correct the disk of the playbooks folder; Tocsin then writes the rest, at the latest at its next start',
    retryAfterMs: 30_000,
    cause,
  })
