import { statSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UnavailableError } from '../../../core/errors/errors.ts'

/** Codes of a file that was deleted, moved or replaced, alone or with its folder. */
const gone: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'replaced'])

/**
 * Checks that the files of the open database still have their names. The operating system accepts writes to a deleted or moved file,
 * but no later process would find them. One check takes about 4 µs, a commit waits for the disk.
 */
export class DatabaseFileGuard {
  readonly #known: readonly (readonly [path: string, identity: string])[]

  /** @param path of the database, after the first read: the write-ahead log exists */
  constructor(path: string) {
    this.#known = [path, `${path}-wal`].map((each) => [each, identityOf(each)])
  }

  /** Throws UnavailableError `store_unavailable`; `details.code` is `replaced` or the code of the operating system. */
  require(): void {
    for (const [path, known] of this.#known) {
      let code: string
      try {
        if (identityOf(path) === known) continue
        code = 'replaced'
      } catch (error) {
        code = (error as NodeJS.ErrnoException).code ?? 'unknown'
      }
      throw displaced(code)
    }
  }

  /** The error of `require` if the files are gone; undefined for a temporary failure of the disk. */
  gone(): UnavailableError | undefined {
    try {
      this.require()
    } catch (error) {
      if (error instanceof UnavailableError && gone.has(error.details?.['code'])) return error
    }
    return undefined
  }
}

function identityOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true })
  return `${dev} ${ino}`
}

function displaced(code: string): UnavailableError {
  return new UnavailableError(
    'store_unavailable',
    gone.has(code)
      ? 'the database file or its folder was deleted, moved or replaced'
      : `cannot access the database file: ${code}`,
    {
      retryAfterMs: 5000,
      hint: 'Stop Tocsin before you change its data directory. It exits within seconds unless the file is back.',
      details: { code },
    },
  )
}

/** Space for the largest alert. */
const room = new Uint8Array(1_048_576)

/**
 * Checks that the disk has space: writes and removes a file of 1 MB beside the database. A small write to the database reuses free
 * pages, and succeeds on a full disk.
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
      `cannot write 1 MB to the data directory: ${code ?? 'the disk failed'}`,
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
