import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Catalogue } from '../../registry/catalogue.ts'
import { runInSlices } from '../../common/sliced.ts'
import { parseTestsInSlices, type ParsedTests } from './parse.ts'

export interface LoadedTests extends ParsedTests {
  readonly file: string
  readonly source: Uint8Array
  /** Path of the playbook under test; undefined if it could not be read. */
  readonly playbookPath: string | undefined
}

/**
 * Reads a test file and its playbook, whose path is relative to the file's folder.
 *
 * @param edited tested instead of the content of the playbook's file
 */
export async function loadTests(file: string, catalogue: Catalogue, edited?: string): Promise<LoadedTests> {
  const source = await readFile(file)
  let playbookPath: string | undefined
  const loadPlaybook = (reference: string): Uint8Array | undefined => {
    const path = join(dirname(file), reference)
    const found = readIfThere(path)
    if (found === undefined) return undefined
    // The first playbook; the others are called by it.
    playbookPath ??= path
    return edited !== undefined && path === playbookPath ? Buffer.from(edited) : found
  }
  const parsed = await runInSlices(parseTestsInSlices(source, { file, catalogue, loadPlaybook }))
  return { ...parsed, file, source, playbookPath }
}

function readIfThere(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') return undefined
    throw error
  }
}
