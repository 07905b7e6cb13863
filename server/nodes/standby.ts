import { randomUUID } from 'node:crypto'
import packageJson from '../../package.json' with { type: 'json' }
import { ConflictError } from '../../core/errors/errors.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Log } from '../../core/ports/log.ts'
import type { Config } from '../config/config.ts'
import { isStandby } from '../http/server/standby-listener.ts'
import { holderOf } from '../sqlite/file/lock.ts'
import { nodeName } from './cluster.ts'
import { openLate, type OpenedLate } from './open-late.ts'
import { StandbyFile } from './standby-file.ts'

export interface StandbyOptions {
  readonly config: Pick<Config, 'dataDir' | 'standby' | 'host' | 'port' | 'opsPort'>
  readonly clock: Clock
  readonly log: Log
}

/**
 * Opens what needs the claim on the data directory. As a standby, waits until the process that has it gives it up or ends, and answers
 * meanwhile that it is not ready.
 *
 * @throws what `open` throws; ConflictError `data_dir_in_use` only if this is no standby
 */
export async function claimed<T>(open: () => Promise<T>, options: StandbyOptions): Promise<OpenedLate<T>> {
  const { config, clock, log } = options
  let file: StandbyFile | undefined
  const wait = async () => {
    if (file === undefined)
      log.info({ folder: config.dataDir }, 'standby: another process has the data directory')
    file ??= newStandbyFile(config.dataDir, clock)
    while (holderOf(config.dataDir) !== undefined) {
      file.alive()
      await clock.sleep(lookEveryMs, never)
    }
    log.warn({ folder: config.dataDir }, 'the data directory is free: taking over')
  }
  try {
    return await openLate(open, config, (error) =>
      config.standby && isInUse(error) ? { why: isStandby, wait } : undefined,
    )
  } finally {
    file?.remove()
  }
}

const lookEveryMs = 250

const newStandbyFile = (dataDir: string, clock: Clock): StandbyFile =>
  new StandbyFile(dataDir, {
    id: randomUUID(),
    name: nodeName(),
    program: packageJson.version,
    startedAt: clock.now(),
  })

const never = new AbortController().signal

const isInUse = (error: unknown): boolean =>
  error instanceof ConflictError && error.code === 'data_dir_in_use'
