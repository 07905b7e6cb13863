import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TemporaryFolder {
  readonly path: string
  /** Deletes it with everything in it. */
  remove(): Promise<void>
}

/** A new empty folder. Remove it in `afterEach` or `after`. */
export async function makeTemporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'tocsin-test-'))
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) }
}
