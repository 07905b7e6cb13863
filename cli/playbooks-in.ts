import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { PlaybookSources } from '../core/playbook/scope/callable-playbooks.ts'

/**
 * The playbooks of a folder by the names of their files, read when they are asked for: `<name>.yaml` is where a playbook is
 * expected that another one beside it calls.
 *
 * @param read what a file holds; undefined: it cannot be read. Default: what is on disk.
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

/** Pipes and devices are no playbooks. */
export function readIfThere(path: string): string | undefined {
  try {
    return statSync(path).isFile() ? readFileSync(path, 'utf8') : undefined
  } catch {
    return undefined
  }
}
