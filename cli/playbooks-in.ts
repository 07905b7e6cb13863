import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { PlaybookSources } from '../core/playbook/read/callable-playbooks.ts'

/**
 * The playbooks of a folder by file name, read on demand. A called playbook must be in `<name>.yaml` beside
 * its caller.
 *
 * @param read returns the content of a file, or undefined if it cannot be read. Default: from disk.
 */
export function playbooksIn(folder: string, read = readIfThere): Required<PlaybookSources> {
  const expectedAt = (name: string): string => join(folder, `${name}${ending}`)
  return { keys: () => namesIn(folder), get: (name) => read(expectedAt(name)), expectedAt }
}

const ending = '.yaml'

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith(ending) && !file.endsWith(`.test${ending}`))
      .map((file) => basename(file, ending))
      .toSorted()
  } catch {
    return []
  }
}

/** Pipes and devices are not playbooks. */
export function readIfThere(path: string): string | undefined {
  try {
    return statSync(path).isFile() ? readFileSync(path, 'utf8') : undefined
  } catch {
    return undefined
  }
}
