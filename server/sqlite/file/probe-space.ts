import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UnavailableError } from '../../../core/errors/errors.ts'

/** As much as the largest alert needs. */
const room = new Uint8Array(1_048_576)

/**
 * Writes a file of a megabyte beside the database and removes it. A small write to the database needs no space of its own, and
 * goes on working on a disk that is full.
 *
 * @throws UnavailableError `store_unavailable`
 */
export async function probeSpace(dataDir: string): Promise<void> {
  const path = join(dataDir, 'tocsin.probe')
  try {
    await writeFile(path, room, { mode: 0o600 })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new UnavailableError(
      'store_unavailable',
      `the store cannot take an alert of a megabyte now: ${code ?? 'the disk failed'}`,
      {
        retryAfterMs: 1000,
        hint: 'Free space on the disk that holds the data directory.',
        details: { code: code ?? 'unknown' },
        cause,
      },
    )
  } finally {
    await rm(path, { force: true })
  }
}
