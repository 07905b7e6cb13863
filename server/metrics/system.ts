import { readdir, readFile, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'

/** Undefined: the operating system does not say. */
export interface SystemFigures {
  readonly fileBytes: { readonly database: number; readonly wal: number }
  readonly freeBytes: number | undefined
  readonly openFiles: number | undefined
  readonly maxFiles: number | undefined
}

export const noSystemFigures: SystemFigures = {
  fileBytes: { database: 0, wal: 0 },
  freeBytes: undefined,
  openFiles: undefined,
  maxFiles: undefined,
}

/** A few system calls, whatever the size of the database. */
export async function readSystem(dataDir: string): Promise<SystemFigures> {
  const sizeOf = async (name: string) => (await orUndefined(stat(join(dataDir, name))))?.size ?? 0
  const [database, wal, disk, open, limits] = await Promise.all([
    sizeOf('tocsin.db'),
    sizeOf('tocsin.db-wal'),
    orUndefined(statfs(dataDir)),
    orUndefined(readdir('/proc/self/fd')),
    orUndefined(readFile('/proc/self/limits', 'utf8')),
  ])
  const most = /^Max open files +(\d+)/m.exec(limits ?? '')?.[1]
  return {
    fileBytes: { database, wal },
    freeBytes: disk && disk.bavail * disk.bsize,
    openFiles: open?.length,
    maxFiles: most === undefined ? undefined : Number(most),
  }
}

const orUndefined = <T>(work: Promise<T>): Promise<T | undefined> => work.catch(() => undefined)
