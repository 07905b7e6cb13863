import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A process that waits for the data directory. */
export interface SeenStandby {
  /** Uuid. */
  readonly id: string
  readonly name: string
  readonly program: string
  readonly startedAt: number
  /** It has said nothing for some seconds. */
  readonly isLate: boolean
}

const pattern = /^standby-[0-9a-f-]{36}\.json$/
/** A standby says that it is alive each second. */
const lateMs = 6_000
/** Then its file is deleted. */
const forgottenMs = 3_600_000

/**
 * The file by which the active server knows of a standby, which must not open the database. It is in the data directory, and its time of
 * change says that the standby is alive. Without access, there is no file.
 */
export class StandbyFile {
  readonly #path: string

  constructor(dataDir: string, standby: Omit<SeenStandby, 'isLate'>) {
    this.#path = join(dataDir, `standby-${standby.id}.json`)
    attempt(() => writeFileSync(this.#path, JSON.stringify(standby), { mode: 0o600 }))
  }

  alive(): void {
    const now = new Date()
    attempt(() => utimesSync(this.#path, now, now))
  }

  remove(): void {
    attempt(() => rmSync(this.#path, { force: true }))
  }
}

/** Also deletes the files of standbys that ended long ago. */
export function readStandbys(dataDir: string, nowMs = Date.now()): readonly SeenStandby[] {
  const names = attempt(() => readdirSync(dataDir)) ?? []
  return names.flatMap((name) => {
    if (!pattern.test(name)) return []
    const path = join(dataDir, name)
    const ageMs = nowMs - (attempt(() => statSync(path).mtimeMs) ?? -Infinity)
    if (ageMs > forgottenMs) attempt(() => rmSync(path, { force: true }))
    const written =
      ageMs > forgottenMs ? undefined : attempt(() => JSON.parse(readFileSync(path, 'utf8')) as unknown)
    return isStandby(written) ? [{ ...written, isLate: ageMs > lateMs }] : []
  })
}

const isStandby = (value: unknown): value is Omit<SeenStandby, 'isLate'> =>
  typeof value === 'object' &&
  value !== null &&
  'startedAt' in value &&
  typeof value.startedAt === 'number' &&
  ['id', 'name', 'program'].every((field) => typeof (value as Record<string, unknown>)[field] === 'string')

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
