import type { PlaybookVersions } from '../investigation/playbook-versions.ts'
import type { Log } from '../ports/log.ts'
import type { FolderComparison } from './compare-folder.ts'
import type { FolderRecord } from './folder-record.ts'

interface Living {
  readonly versions: PlaybookVersions
  readonly record: FolderRecord
  readonly log: Log
}

/** Content hashes by name. */
type Published = ReadonlyMap<string, string>

/** The published versions stay live, although the folder holds others. */
export async function restorePublished(
  { valid }: FolderComparison,
  published: Published,
  living: Living,
): Promise<void> {
  const { versions, record } = living
  for (const { path, playbook } of valid) {
    if (published.get(playbook.name) !== playbook.hash) continue
    record.paths.set(playbook.name, path)
    versions.authored.set(playbook.name, playbook)
  }
  for (const [name, hash] of published) if (!versions.authored.has(name)) await keep(name, hash, living)
}

/** The last valid versions of files with errors stay live. */
export async function keepLastGood(
  names: readonly string[],
  published: Published,
  living: Living,
): Promise<void> {
  for (const name of names) {
    const hash = published.get(name)
    if (hash === undefined || living.versions.authored.has(name)) continue
    if (await keep(name, hash, living))
      living.log.warn({ playbook: name, hash }, 'the last valid version stays live')
  }
}

async function keep(name: string, hash: string, { versions, record }: Living): Promise<boolean> {
  if ((await versions.adopt(name, hash)) !== undefined) return false
  const path = record.takenFrom(hash)
  if (path !== undefined) record.paths.set(name, path)
  return true
}
