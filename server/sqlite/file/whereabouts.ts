import { statSync } from 'node:fs'
import { UnavailableError } from '../../../core/errors/errors.ts'

/** The name of a file no longer leads to it: it was deleted, moved or replaced, with the folder it lies in or alone. */
const gone: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'replaced'])

/**
 * Whether the files of an open database still have their names. What is written to a file that has none any more is found by
 * nobody afterwards, and the operating system does not mind: commits go on working. A look costs some 4 µs, where a commit
 * waits for the disk.
 */
export class Whereabouts {
  readonly #known: readonly (readonly [path: string, identity: string])[]

  /** @param path of the database, which has been read from: its write-ahead log is there */
  constructor(path: string) {
    this.#known = [path, `${path}-wal`].map((each) => [each, identityOf(each)])
  }

  /**
   * Throws UnavailableError `store_unavailable` where a name does not lead to what was opened. Its `details.code` says why:
   * `replaced`, or what the operating system says.
   */
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

  /** What `require` throws where the files are gone; a disk that fails for a moment is not that. */
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
      ? 'the database is not where it was opened: it, or its folder, was deleted, moved or replaced'
      : `the database cannot be seen where it was opened: ${code}`,
    {
      retryAfterMs: 5000,
      hint: 'Whatever was put in its place: stop Tocsin before you touch its data directory. It ends within seconds by itself where the database does not come back.',
      details: { code },
    },
  )
}
