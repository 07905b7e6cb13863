import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { NotFoundError } from '../../core/errors/errors.ts'
import { printable } from '../output/printable.ts'

export interface FoundFiles {
  /** Test files, sorted, without duplicates. */
  readonly tests: readonly string[]
  /** Playbooks of the given folders, with or without tests. */
  readonly playbooks: readonly string[]
}

const isTest = (name: string): boolean => /\.test\.ya?ml$/.test(name)
const isPlaybook = (name: string): boolean => /\.ya?ml$/.test(name) && !isTest(name)

/**
 * Finds the test files in files and folders. For a playbook, these are the tests beside it. Throws
 * NotFoundError if there are none.
 */
export async function findTestFiles(paths: readonly string[]): Promise<FoundFiles> {
  const found = await Promise.all(paths.map(filesAt))
  const tests = [...new Set(found.flatMap((files) => files.tests))]
  const playbooks = [...new Set(found.flatMap((files) => files.playbooks))]
  if (tests.length > 0) return { tests, playbooks }
  const places = paths.map((path) => printable(path)).join(', ')
  throw new NotFoundError('no_tests', `no tests in ${places}`, {
    hint: 'name test files <playbook>.test.yaml; docs/testing-playbooks.md has an example',
  })
}

async function filesAt(path: string): Promise<FoundFiles> {
  const info = await stat(path).catch(() => undefined)
  if (info === undefined)
    throw new NotFoundError('file_not_found', `there is no file or folder '${printable(path)}'`)
  if (info.isDirectory()) {
    const names = (await readdir(path, { recursive: true })).toSorted()
    const at = (name: string) => join(path, name)
    return { tests: names.filter(isTest).map(at), playbooks: names.filter(isPlaybook).map(at) }
  }
  return isPlaybook(path)
    ? { tests: await testsBeside(path), playbooks: [path] }
    : { tests: [path], playbooks: [] }
}

async function testsBeside(playbook: string): Promise<readonly string[]> {
  const folder = dirname(playbook)
  const own = playbook.replace(/\.ya?ml$/, '')
  const names = await readdir(folder)
  return names
    .toSorted()
    .map((name) => join(folder, name))
    .filter((path) => isTest(path) && path.replace(/\.test\.ya?ml$/, '') === join(own))
}
